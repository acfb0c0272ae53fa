package io.twinbell.handler;

/** An interceptor and the runs to which it applies. */
public record ScopedInterceptor(InterceptorScope scope, TaskInterceptor interceptor) {
    /**
     * Creates an interceptor for some runs.
     *
     * @throws IllegalArgumentException if one of them is null
     */
    public ScopedInterceptor {
        if (scope == null || interceptor == null) {
            throw new IllegalArgumentException("an interceptor needs a scope and its code");
        }
    }
}
