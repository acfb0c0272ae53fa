package io.twinbell.handler;

import java.util.function.Predicate;

/** The runs to which an interceptor applies. */
public final class InterceptorScope {
    /** Every run of every task. */
    public static final InterceptorScope ALL = new InterceptorScope(run -> true);

    private final Predicate<InterceptedRun> selects;

    private InterceptorScope(Predicate<InterceptedRun> selects) {
        this.selects = selects;
    }

    /** The runs of the tasks of an app. */
    public static InterceptorScope app(String app) {
        required("app", app);
        return new InterceptorScope(run -> app.equals(run.app()));
    }

    /** The runs of the tasks with a tag. */
    public static InterceptorScope tag(String tag) {
        required("tag", tag);
        return new InterceptorScope(run -> run.tags().contains(tag));
    }

    /** The runs of a handler type, such as {@code http}, or of the java handler with this key. */
    public static InterceptorScope handler(String typeOrKey) {
        required("handler", typeOrKey);
        return new InterceptorScope(run -> typeOrKey.equals(run.handlerType()) || typeOrKey.equals(run.handlerKey()));
    }

    /** The runs that this scope and the other one select. */
    public InterceptorScope and(InterceptorScope other) {
        return new InterceptorScope(selects.and(other.selects));
    }

    public boolean includes(InterceptedRun run) {
        return selects.test(run);
    }

    private static void required(String what, String value) {
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException("the " + what + " of an interceptor's scope is missing");
        }
    }
}
