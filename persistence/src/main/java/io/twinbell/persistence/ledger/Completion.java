package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;

/**
 * What became of one attempt.
 *
 * @param epoch the epoch that the attempt was claimed under
 * @param state RUNNING, RETRYING, or a final one
 * @param nextMillis the next fire time of a task that follows the end of its run, {@link #FINISHED} if it has none any
 *     more; {@link #NOT_FOLLOWED} for all other tasks
 * @param retry null unless it is RETRYING
 * @param pauseAfter how many failures in a row pause the task; 0 if they do not
 */
public record Completion(
        Epoch epoch,
        Slot slot,
        int attempt,
        ExecutionState state,
        Run run,
        Text text,
        long nextMillis,
        Retry retry,
        int pauseAfter) {
    public static final long NOT_FOLLOWED = Long.MAX_VALUE;
    public static final long FINISHED = Long.MIN_VALUE;

    /** One that is not followed by another attempt. */
    public Completion(Epoch epoch, Slot slot, int attempt, ExecutionState state, Run run, Text text, long nextMillis) {
        this(epoch, slot, attempt, state, run, text, nextMillis, null, 0);
    }

    /** Whether the attempt is over; its execution may have another. */
    public boolean endsAttempt() {
        return state != ExecutionState.RUNNING;
    }

    /** How the attempt itself went; the state, unless it is followed by another. */
    public ExecutionState outcome() {
        return retry == null ? state : retry.failure();
    }

    /**
     * Of a RETRYING execution.
     *
     * @param dueMillis when its next attempt may begin
     * @param failure what became of this one
     */
    public record Retry(long dueMillis, ExecutionState failure) {}

    /**
     * When it ran, by the database's clock, in microseconds since 1970 UTC: a run may be over in less than a millisecond.
     * {@link Long#MAX_VALUE} for an end that never began or has not come.
     */
    public record Run(long startedMicros, long endedMicros) {}

    /** What it left behind; each may be null. */
    public record Text(String output, String error, String reason) {
        public static final Text NONE = new Text(null, null, null);
    }
}
