package io.twinbell.node.api.exchange;

import io.javalin.http.Context;

/** Decides about each request before its handler runs, and leaves the request's {@link Caller}. */
@FunctionalInterface
public interface AccessGate {
    /** @throws ProblemException if the request is refused */
    void admit(Context context, Route route);
}
