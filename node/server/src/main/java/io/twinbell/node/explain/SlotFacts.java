package io.twinbell.node.explain;

import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExplanationSource.HeartbeatGap;
import io.twinbell.node.execution.store.VerificationSource;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.task.Task;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Everything that an explanation may depend on. It is read before the explanation is made.
 *
 * @param task null if it was removed
 * @param row the ledger row that covers the instant; null if there is none
 * @param waitsFor the limit key that the row waits for in the ledger; null if it waits for none
 * @param callbackUntil when the running attempt times out without a callback; empty if it waits for none
 * @param evidence what was recorded beside the rows
 */
public record SlotFacts(
        Task task,
        Definition definition,
        Execution row,
        String waitsFor,
        OptionalLong callbackUntil,
        Situation situation,
        Evidence evidence) {
    /**
     * What was recorded beside the rows and the definition.
     *
     * @param slots how many slots lie in the span of the question, at most {@link #MOST_SLOTS}
     * @param isEntered whether the row is in the ledger; otherwise the master will enter it
     * @param pause the pause of the task, or of all its firing, that the slot or the task is subject to; null if it
     *     is unknown
     * @param gap the span without a heartbeat of a master that covers the row; null if none is recorded
     */
    public record Evidence(int slots, boolean isEntered, PauseBegin pause, HeartbeatGap gap) {
        /** More slots than this are not counted. */
        public static final int MOST_SLOTS = 1000;

        public static final Evidence NONE = new Evidence(0, true, null, null);
    }

    /**
     * The beginning of a pause.
     *
     * @param by who began it; null if unknown
     */
    public record PauseBegin(long atMillis, String by) {}

    /**
     * The current definition.
     *
     * @param parsed null if the task was removed or its definition cannot be read
     * @param ignoringClockChanges the same definition with UTC as its zone: it has every local time of the schedule.
     *     Null if the schedule has no zone, or another one than the question
     * @param error why the definition cannot be read; null if it can
     * @param planned when the current timing was set
     * @param window from the start of the task to its end; null if the definition is not parsed
     */
    public record Definition(
            TaskDefinition parsed,
            TaskDefinition ignoringClockChanges,
            String error,
            VerificationSource.Planned planned,
            Window window) {
        public static final Definition NONE = new Definition(null, null, null, null, null);

        /** A definition that cannot be read, for this reason. */
        public static Definition unreadable(String reason) {
            return new Definition(null, null, reason, null, null);
        }
    }

    /**
     * A limit without room.
     *
     * @param bound which of its bounds is reached, such as {@code 5 of 5 run}
     */
    public record FullLimit(String key, String bound) {
        /** States the bound on running executions if that is reached, otherwise the rate. */
        public static FullLimit of(LimitStore.Use use) {
            RunLimit limit = use.limit();
            return new FullLimit(
                    limit.key(),
                    use.running() >= limit.maxRunning()
                            ? use.running() + " of " + limit.maxRunning() + " run"
                            : "at most " + limit.rate().max() + " start in "
                                    + limit.rate().per());
        }

        private String words() {
            return key + " (" + bound + ")";
        }
    }

    /**
     * The state of the pair.
     *
     * @param nowMillis the database's clock
     * @param pauses the pause of all firing and the standing pauses of the task that are in effect
     * @param noMaster why no node fires; null if there is a master
     * @param deleted the fire time up to which rows may have been deleted, by kind of deletion
     * @param openings the epoch that was open at the instant and all later ones, oldest first
     * @param fullLimits the task's limits that have no room now
     * @param isAtQuota whether executions of the task's app wait in the ledger because of quotas.firesPerMinute
     */
    public record Situation(
            long nowMillis,
            List<Pause> pauses,
            String noMaster,
            Map<String, Long> deleted,
            List<VerificationSource.Opening> openings,
            List<FullLimit> fullLimits,
            boolean isAtQuota) {
        /** The limits without room, each with its bound. */
        String fullLimitWords() {
            return fullLimits.stream().map(FullLimit::words).collect(Collectors.joining(" and "));
        }

        /** The key of a limit, with its bound if it has no room now. */
        String limitWords(String key) {
            return fullLimits.stream()
                    .filter(limit -> limit.key().equals(key))
                    .map(FullLimit::words)
                    .findFirst()
                    .orElse(key);
        }

        /** The pause that prevents a slot from running. An open standing pause also applies to slots that are due. */
        Optional<Pause> pauseOf(long fireMillis) {
            return pauses.stream()
                    .filter(pause -> pause.covers(fireMillis)
                            || pause.isStanding() && pause.isOpenAt(nowMillis) && fireMillis <= nowMillis)
                    .findFirst();
        }

        /** The pause of all firing that is in effect now. It also prevents waiting rows from running. */
        Optional<Pause> pauseOfAll() {
            return pauses.stream()
                    .filter(pause -> !pause.isStanding() && pause.covers(nowMillis))
                    .findFirst();
        }
    }
}
