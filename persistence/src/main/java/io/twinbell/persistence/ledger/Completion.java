package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;

/**
 * What became of one attempt.
 *
 * @param epoch the epoch that the attempt was claimed under
 * @param state RUNNING, or a final one
 * @param nextMillis the next fire time of a task that follows the end of its run, {@link #FINISHED} if it has none any
 *     more; {@link #NOT_FOLLOWED} for all other tasks
 */
public record Completion(
        Epoch epoch, Slot slot, int attempt, ExecutionState state, Run run, Text text, long nextMillis) {
    public static final long NOT_FOLLOWED = Long.MAX_VALUE;
    public static final long FINISHED = Long.MIN_VALUE;

    /** When it ran, by the database's clock; {@link Long#MAX_VALUE} for an end that never began or has not come. */
    public record Run(long startedMillis, long endedMillis) {}

    /** What it left behind; each may be null. */
    public record Text(String output, String error, String reason) {
        public static final Text NONE = new Text(null, null, null);
    }
}
