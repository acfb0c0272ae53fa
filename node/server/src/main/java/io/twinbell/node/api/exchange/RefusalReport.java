package io.twinbell.node.api.exchange;

import io.javalin.http.Context;
import io.twinbell.node.access.Refusals;
import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt;

/** Reports answers of 401 and 403 to the audit. */
public final class RefusalReport {
    private static final String ATTRIBUTE = Refusals.class.getName();
    private static final String UNKNOWN = "unknown client";

    private RefusalReport() {}

    /** Sets where the refusals of this request go. */
    public static void attach(Context context, Refusals refusals) {
        context.attribute(ATTRIBUTE, refusals);
    }

    /** Reports a refusal that is hidden from the client: its answer has another status, such as 404. */
    public static void report(Context context, ProblemException refusal) {
        report(context, refusal.problem(), 1);
    }

    /**
     * Reports the problem if its status is 401 or 403.
     *
     * @param items how many parts of the request were refused for this reason
     */
    public static void report(Context context, Problem problem, long items) {
        boolean isUnknown = problem.type() == ProblemType.UNAUTHORIZED;
        Refusals refusals = context.attribute(ATTRIBUTE);
        if (refusals == null || !isUnknown && problem.type() != ProblemType.NOT_PERMITTED) {
            return;
        }
        Caller caller = Caller.ifAdmitted(context)
                .orElseGet(() -> Caller.unknown(UNKNOWN, context.req().getRemoteAddr()));
        refusals.add(
                new RefusedAttempt(
                        caller.actor(context, context.method() + " " + context.path()),
                        isUnknown ? RefusedAttempt.SIGN_IN : RefusedAttempt.REQUEST,
                        problem.detail()),
                items);
    }
}
