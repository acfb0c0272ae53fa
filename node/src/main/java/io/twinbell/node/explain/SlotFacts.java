package io.twinbell.node.explain;

import io.twinbell.node.task.definition.TaskDefinition;
import io.twinbell.persistence.cluster.FiringPauses;
import io.twinbell.persistence.ledger.query.Execution;
import io.twinbell.persistence.ledger.query.VerificationSource;
import io.twinbell.persistence.task.Task;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Everything that an explanation may depend on, read before.
 *
 * @param task null if it was removed
 * @param row the ledger row that covers the instant; null if there is none
 * @param waitsFor the limit key that the row waits for in the ledger; null if it waits for none
 * @param callbackUntil when the running attempt times out without a callback; empty if it waits for none
 */
public record SlotFacts(
        Task task,
        Definition definition,
        Execution row,
        String waitsFor,
        OptionalLong callbackUntil,
        Situation situation) {
    /**
     * The current definition.
     *
     * @param parsed null if the task was removed or its definition cannot be read
     * @param ignoringClockChanges the same definition with UTC as its zone: it has every local time of the schedule.
     *     Null if the schedule has no zone
     * @param error why the definition cannot be read; null if it can
     * @param planned when the current timing was set
     * @param waitsForScheduleType whether it is valid, but the node that answers cannot compute its fire times
     */
    public record Definition(
            TaskDefinition parsed,
            TaskDefinition ignoringClockChanges,
            String error,
            VerificationSource.Planned planned,
            boolean waitsForScheduleType) {
        public static final Definition NONE = new Definition(null, null, null, null, false);

        /** The definition of a task whose fire times the node cannot compute, for this reason. */
        public static Definition withoutScheduleType(String reason) {
            return new Definition(null, null, reason, null, true);
        }
    }

    /**
     * The state of the pair.
     *
     * @param nowMillis the database's clock
     * @param pause the pause of all firing, or a standing pause of the task, that is in effect; null if there is none
     * @param noMaster why no node fires; null if there is a master
     * @param deleted the fire time up to which rows may have been deleted, by kind of deletion
     * @param openings the epoch that was open at the instant and all later ones, oldest first
     * @param fullLimits the keys of the task's limits that have no room now
     */
    public record Situation(
            long nowMillis,
            FiringPauses.Pause pause,
            String noMaster,
            Map<String, Long> deleted,
            List<VerificationSource.Opening> openings,
            List<String> fullLimits) {}
}
