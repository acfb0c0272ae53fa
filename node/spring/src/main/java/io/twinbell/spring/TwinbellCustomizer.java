package io.twinbell.spring;

import io.twinbell.Twinbell;

/** A bean of this type can change the builder of the node before it starts, after all properties are set. */
@FunctionalInterface
public interface TwinbellCustomizer {
    void customize(Twinbell.Builder node);
}
