package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;

/**
 * The outcome of one attempt.
 *
 * @param epoch the epoch that claimed the attempt
 * @param state RUNNING, RETRYING, or a final state
 * @param nextMillis the next fire time of a task whose schedule counts from the end of its run, {@link #FINISHED}
 *     if it has no further one; {@link #NOT_FOLLOWED} for all other tasks
 * @param retry null unless the state is RETRYING
 * @param pauseAfter the number of consecutive failures that pauses the task; 0 for never
 */
public record Completion(
        Epoch epoch,
        Slot slot,
        int attempt,
        ExecutionState state,
        RunTimes run,
        Text text,
        long nextMillis,
        NextAttempt retry,
        int pauseAfter) {
    public static final long NOT_FOLLOWED = Long.MAX_VALUE;
    public static final long FINISHED = Long.MIN_VALUE;

    /** A completion that no further attempt follows. */
    public Completion(
            Epoch epoch, Slot slot, int attempt, ExecutionState state, RunTimes run, Text text, long nextMillis) {
        this(epoch, slot, attempt, state, run, text, nextMillis, null, 0);
    }

    /** Whether the attempt is over. The execution may have another attempt. */
    public boolean endsAttempt() {
        return state != ExecutionState.RUNNING;
    }

    /** The outcome of the attempt itself: the state, or the kind of failure if another attempt follows. */
    public ExecutionState outcome() {
        return retry == null ? state : retry.failure();
    }

    /** The name of {@link #outcome}; SNOOZED if the attempt asked to run again later. */
    public String attemptState() {
        return retry == null ? state.name() : retry.attemptState();
    }

    /**
     * The retry of a RETRYING execution.
     *
     * @param dueMillis when the next attempt may start
     * @param failure the outcome of this attempt; RETRYING if it asked to run again later
     */
    public record NextAttempt(long dueMillis, ExecutionState failure) {
        /** The state of this attempt in the list of attempts. */
        public String attemptState() {
            return failure == ExecutionState.RETRYING ? "SNOOZED" : failure.name();
        }
    }

    /**
     * When the attempt ran, by the database's clock, in microseconds since 1970 UTC, because a run may take less than a
     * millisecond. {@link Long#MAX_VALUE} for a start or an end that has not happened.
     */
    public record RunTimes(long startedMicros, long endedMicros) {}

    /**
     * The texts that an attempt leaves; each may be null.
     *
     * @param errorCode the stable kind of the error, such as {@code HTTP_503}
     */
    public record Text(String output, String error, String errorCode, String reason) {
        public static final Text NONE = new Text(null, null, null);

        /** Texts without an error code. */
        public Text(String output, String error, String reason) {
            this(output, error, null, reason);
        }
    }
}
