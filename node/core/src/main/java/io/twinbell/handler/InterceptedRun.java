package io.twinbell.handler;

import java.util.List;

/** Describes an attempt to its interceptors. */
public interface InterceptedRun extends TaskContext {
    List<String> tags();

    /** {@code http}, {@code sql}, {@code shell}, {@code java} or {@code log}. */
    String handlerType();

    /** The key of a java handler; null for the other types. */
    String handlerKey();

    /**
     * Sets a value for the rest of the attempt: later interceptors and a java handler read it with {@link #attribute},
     * and it is part of the log context (MDC) of what the handler logs on its own thread. Values that are set after the
     * handler started are seen by {@link TaskInterceptor#after} alone.
     *
     * @param name 1 to 63 letters, digits, dots, hyphens and underscores; not one of the log context's own names:
     *     {@code task}, {@code slot}, {@code attempt}, {@code epoch}, {@code node}
     * @param value at most 1000 characters
     * @throws IllegalArgumentException if name or value is invalid, or if the attempt already has 20 attributes
     */
    void attribute(String name, String value);
}
