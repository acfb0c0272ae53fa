package io.twinbell.spring;

import io.twinbell.Twinbell;

/** A bean of this type completes the node before it starts, after everything that the properties set. */
@FunctionalInterface
public interface TwinbellCustomizer {
    void customize(Twinbell.Builder node);
}
