package io.twinbell.persistence.ledger;

/** What became of a slot. */
public enum ExecutionState {
    /** Durable, not yet claimed: triggered by hand, rerun, or handed back before it started. */
    PENDING,
    CLAIMED,
    RUNNING,
    RETRYING,
    SUCCEEDED,
    FAILED,
    TIMED_OUT,
    CANCELLED,
    /** Not run because of a policy or a pause; the reason says which. */
    SKIPPED,
    /** Its time passed by more than its threshold before it could be claimed. */
    MISSED,
    /** Its master died before it had an outcome, and its task does not want a second attempt. */
    DROPPED;

    public boolean isFinal() {
        return switch (this) {
            case PENDING, CLAIMED, RUNNING, RETRYING -> false;
            default -> true;
        };
    }
}
