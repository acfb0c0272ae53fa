package io.twinbell.persistence.ledger;

/** The state of an execution. */
public enum ExecutionState {
    /** Durable and not yet claimed: triggered by hand, rerun, or handed back before it started. */
    PENDING,
    CLAIMED,
    RUNNING,
    RETRYING,
    SUCCEEDED,
    FAILED,
    TIMED_OUT,
    CANCELLED,
    /** Not run because of a policy or a pause; the reason names it. */
    SKIPPED,
    /** Not claimed before its misfire threshold had passed. */
    MISSED,
    /** Its master died before it had an outcome, and the task does not allow a second attempt. */
    DROPPED;

    public boolean isFinal() {
        return switch (this) {
            case PENDING, CLAIMED, RUNNING, RETRYING -> false;
            default -> true;
        };
    }
}
