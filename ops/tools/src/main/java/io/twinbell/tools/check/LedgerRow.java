package io.twinbell.tools.check;

import java.util.OptionalLong;

/**
 * What the ledger says of a slot, or of several that follow each other.
 *
 * @param reason may be null
 */
public record LedgerRow(CheckedSlot slot, Cover cover, State state, Claim claim, Times times, String reason) {
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

        /** Whether the row says that its attempt was not begun. */
        boolean saysNotRun() {
            return this == SKIPPED || this == MISSED;
        }

        /** Whether somebody must have claimed it to come here. */
        boolean saysClaimed() {
            return this == CLAIMED || this == RUNNING || this == DROPPED || saysRunEnded();
        }

        /** Whether it owes a reason: nothing else tells why no run came to its end. */
        boolean owesReason() {
            return this == SKIPPED || this == MISSED || this == DROPPED || this == CANCELLED;
        }

        /** Whether an attempt came to its own end, so that the end is exactly known. */
        boolean saysRunEnded() {
            return this == SUCCEEDED || this == FAILED || this == TIMED_OUT;
        }
    }

    /** The last fire time that the row stands for, and how many it claims to be. */
    public record Cover(long untilMillis, long slots) {}

    /**
     * The latest claim.
     *
     * @param epoch 0 if nobody claimed it
     * @param node null if nobody claimed it, or nobody knows who
     */
    public record Claim(int attempt, long epoch, OptionalLong atMillis, String node) {
        /** One of which is not known who made it. */
        public Claim(int attempt, long epoch, OptionalLong atMillis) {
            this(attempt, epoch, atMillis, null);
        }

        boolean isMade() {
            return epoch > 0;
        }
    }

    /**
     * By the database's clock.
     *
     * @param followedMillis the fire time that follows the end, of a task that goes by its runs
     * @param dueMillis when the latest attempt, or the one that it waits for, was due as a retry; empty if it is none, or
     *     nobody knows
     */
    public record Times(
            OptionalLong startedMillis, OptionalLong endedMillis, OptionalLong followedMillis, OptionalLong dueMillis) {
        /** Of no retry. */
        public Times(OptionalLong startedMillis, OptionalLong endedMillis, OptionalLong followedMillis) {
            this(startedMillis, endedMillis, followedMillis, OptionalLong.empty());
        }

        /** Of no retry, and of a task that does not go by its runs. */
        public Times(OptionalLong startedMillis, OptionalLong endedMillis) {
            this(startedMillis, endedMillis, OptionalLong.empty());
        }
    }
}
