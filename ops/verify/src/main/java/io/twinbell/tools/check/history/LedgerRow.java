package io.twinbell.tools.check.history;

import java.util.OptionalLong;

/**
 * One ledger row: a slot, or several consecutive slots, with their outcome.
 *
 * @param reason may be null
 * @param isRequested whether the run was requested: by a trigger, a chain, a backfill, a resume or a rerun
 */
public record LedgerRow(
        CheckedSlot slot,
        CoveredRange cover,
        State state,
        LatestClaim claim,
        Times times,
        String reason,
        boolean isRequested) {
    /** A row that the schedule planned. */
    public LedgerRow(CheckedSlot slot, CoveredRange cover, State state, LatestClaim claim, Times times, String reason) {
        this(slot, cover, state, claim, times, reason, false);
    }

    /** The states of an execution. */
    public enum State {
        PENDING,
        CLAIMED,
        RUNNING,
        RETRYING,
        SUCCEEDED,
        FAILED,
        TIMED_OUT,
        CANCELLED,
        SKIPPED,
        MISSED,
        DROPPED;

        public boolean isFinal() {
            return this != PENDING && this != CLAIMED && this != RUNNING && this != RETRYING;
        }

        /** Whether the state means that the slot's attempt never began. */
        public boolean saysNotRun() {
            return this == SKIPPED || this == MISSED;
        }

        /** Whether an execution reaches this state only through a claim. */
        public boolean saysClaimed() {
            return this == CLAIMED || this == RUNNING || this == DROPPED || saysRunEnded();
        }

        /** Whether the row must have a reason, because nothing else explains why no run was completed. */
        public boolean owesReason() {
            return this == SKIPPED || this == MISSED || this == DROPPED || this == CANCELLED;
        }

        /** Whether an attempt ended by itself, so that its end is known exactly. */
        public boolean saysRunEnded() {
            return this == SUCCEEDED || this == FAILED || this == TIMED_OUT;
        }
    }

    /** The last fire time that the row covers, and the number of slots that it claims to cover. */
    public record CoveredRange(long untilMillis, long slots) {}

    /**
     * The latest claim.
     *
     * @param snoozes how many of the earlier attempts asked to run again later
     * @param reruns how many of the attempts a rerun requested
     * @param epoch 0 if the slot was not claimed
     * @param node null if the slot was not claimed, or the node is unknown
     */
    public record LatestClaim(int attempt, int snoozes, int reruns, long epoch, OptionalLong atMillis, String node) {
        /** A claim of an execution that was never snoozed and never rerun on request. */
        public LatestClaim(int attempt, long epoch, OptionalLong atMillis, String node) {
            this(attempt, 0, 0, epoch, atMillis, node);
        }

        /** A claim whose node is unknown. */
        public LatestClaim(int attempt, long epoch, OptionalLong atMillis) {
            this(attempt, epoch, atMillis, null);
        }

        /** The number of attempts that count for the retry policy. */
        public int counted() {
            return attempt - snoozes;
        }

        public boolean isMade() {
            return epoch > 0;
        }
    }

    /**
     * Instants by the database's clock.
     *
     * @param followedMillis the next fire time that counts from the end of this run, for a fixed delay
     * @param dueMillis when the latest or awaited attempt was due as a retry; empty if it is no retry, or unknown
     * @param callbackMillis until when the attempt waits for its callback; empty if it does not, or unknown
     */
    public record Times(
            OptionalLong startedMillis,
            OptionalLong endedMillis,
            OptionalLong followedMillis,
            OptionalLong dueMillis,
            OptionalLong callbackMillis) {
        /** No callback is awaited. */
        public Times(
                OptionalLong startedMillis,
                OptionalLong endedMillis,
                OptionalLong followedMillis,
                OptionalLong dueMillis) {
            this(startedMillis, endedMillis, followedMillis, dueMillis, OptionalLong.empty());
        }

        /** No retry. */
        public Times(OptionalLong startedMillis, OptionalLong endedMillis, OptionalLong followedMillis) {
            this(startedMillis, endedMillis, followedMillis, OptionalLong.empty());
        }

        /** No retry, and the task's schedule does not follow its runs. */
        public Times(OptionalLong startedMillis, OptionalLong endedMillis) {
            this(startedMillis, endedMillis, OptionalLong.empty());
        }
    }
}
