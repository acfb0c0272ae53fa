package io.twinbell.node.execution.store;

import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.AttemptReport;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.OptionalLong;

/**
 * A row of the ledger: the state and outcome of one slot, or of many slots with the same fate. Times are milliseconds
 * since 1970 UTC, by the database's clock.
 *
 * @param origin {@code TRIGGERED} (by hand), {@code CHAINED} (by the end of another execution), {@code BACKFILLED} (a
 *     past slot, by hand) or {@code CAUGHT_UP} (a slot that passed during a pause, by the resume); null for a slot of
 *     the schedule. It never changes
 */
public record Execution(
        Slots slots,
        String app,
        String name,
        ExecutionState state,
        String origin,
        LatestClaim claim,
        Times times,
        Outcome outcome,
        AttemptReport report) {
    /**
     * The slots of the task that the row stands for; the first one identifies the row.
     *
     * @param untilFireMillis the fire time of the last slot, if there is more than one
     */
    public record Slots(long taskId, long fireMillis, OptionalLong untilFireMillis, long count) {}

    /**
     * The latest claim of the execution.
     *
     * @param snoozes how many of the earlier attempts asked to run again later
     * @param reruns how many of the attempts a rerun requested
     * @param node null if no node has claimed it
     * @param earlierAttempts JSON list of the earlier attempts; null if there are none or they were not requested
     * @param checkpoint JSON that the handler saved; null if there is none or it was not requested
     */
    public record LatestClaim(
            int attempt,
            int snoozes,
            int reruns,
            String node,
            OptionalLong epoch,
            String earlierAttempts,
            String checkpoint) {}

    /**
     * The times of the state changes; empty where they have not happened.
     *
     * @param dueMillis when a waiting execution may be claimed, if that is not at its fire time
     * @param callbackMillis until when a parked attempt waits for its callback; empty if it does not
     */
    public record Times(
            OptionalLong claimedMillis,
            OptionalLong startedMillis,
            OptionalLong endedMillis,
            OptionalLong dueMillis,
            OptionalLong callbackMillis) {
        /** The times of an execution that does not wait for a callback. */
        public Times(
                OptionalLong claimedMillis,
                OptionalLong startedMillis,
                OptionalLong endedMillis,
                OptionalLong dueMillis) {
            this(claimedMillis, startedMillis, endedMillis, dueMillis, OptionalLong.empty());
        }
    }

    /**
     * The texts of the outcome; each may be null.
     *
     * @param errorCode the stable kind of the error, such as {@code HTTP_503}
     * @param note was added after the state was final
     */
    public record Outcome(String output, String error, String errorCode, String reason, String note) {}

    /** The slot that identifies the row. */
    public Slot slot() {
        return new Slot(slots.taskId(), slots.fireMillis());
    }

    /** Whether the latest run was requested: by a trigger, a chain, a backfill, a resume or a rerun. */
    public boolean isRequested() {
        return origin != null || claim.reruns() > 0;
    }

    /**
     * The delay from the fire time to the start; empty if the execution has not started, or if its fire time does not
     * say when it should have started. A later attempt waited for its backoff, too.
     */
    public OptionalLong latenessMillis() {
        OptionalLong started = times.startedMillis();
        return started.isEmpty() || claim.attempt() > 1 || !new Attempt.Origin(origin, claim.reruns()).hasDueStart()
                ? OptionalLong.empty()
                : OptionalLong.of(started.getAsLong() - slots.fireMillis());
    }
}
