package io.twinbell.tools.check.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Everything that happened while tasks were watched, as the checker's input.
 *
 * @param openings the epoch that was current at the beginning, and every later one, in the order in which they were
 *     recorded
 * @param stoppedMillis when the tasks were stopped
 * @param stragglers calls that may arrive after their epoch has ended
 * @param peace the time after the last fault; empty if unknown
 * @param loss the commits that the database has lost for good; empty if no unnoticed loss occurred
 */
public record History(
        List<WatchedTask> tasks,
        List<LedgerRow> rows,
        List<ReceivedCall> calls,
        List<EpochOpening> openings,
        long stoppedMillis,
        List<FormerMaster> stragglers,
        Optional<RecoveryPeriod> peace,
        Optional<LossWindow> loss) {
    /** How long a call may be under way: longer than the work of any call. */
    private static final long UNDER_WAY_MICROS = 1_000_000;
    /** Within this time the receiver reads what a killed process had sent. */
    private static final long READ_WITHIN_MICROS = 1_000_000;

    /** A history without stragglers. */
    public History(
            List<WatchedTask> tasks,
            List<LedgerRow> rows,
            List<ReceivedCall> calls,
            List<EpochOpening> openings,
            long stoppedMillis) {
        this(tasks, rows, calls, openings, stoppedMillis, List.of());
    }

    /** A history in which the time of the last repair is unknown. */
    public History(
            List<WatchedTask> tasks,
            List<LedgerRow> rows,
            List<ReceivedCall> calls,
            List<EpochOpening> openings,
            long stoppedMillis,
            List<FormerMaster> stragglers) {
        this(tasks, rows, calls, openings, stoppedMillis, stragglers, Optional.empty(), Optional.empty());
    }

    /**
     * A process that was stopped or cut off, for a time or for good, and its late calls. A call that it started before
     * may reach the receiver at any later time, because nothing can recall it. A call that it started afterwards is a
     * violation.
     *
     * @param epoch the epoch of the process
     * @param startedByMillis the last instant at which it may have started a handler; no fire time may be later
     * @param isDead whether the process has died; its calls continue at the receiver, and their end is unknown
     */
    public record FormerMaster(long epoch, long startedByMillis, boolean isDead) {
        boolean include(ReceivedCall call) {
            return call.epoch() == epoch && call.slot().fireMillis() <= startedByMillis;
        }

        /** Whether a call may arrive late. A call that a process made before it died must have been on time. */
        boolean mayArriveLate(ReceivedCall call) {
            long afterMicros = call.arrivedMicros() - startedByMillis * 1000;
            return include(call) && (!isDead || afterMicros > 0 && afterMicros <= READ_WITHIN_MICROS);
        }

        boolean leftBehind(ReceivedCall call) {
            return isDead && include(call);
        }
    }

    /**
     * The time after the last fault.
     *
     * @param fromMillis when the last fault was mended
     * @param caughtUpWithinMillis how long the pair may then take to catch up
     */
    public record RecoveryPeriod(long fromMillis, long caughtUpWithinMillis) {}

    /**
     * A loss of the database's latest commits together with the master that made them.
     *
     * @param fromMillis the oldest fire time of a slot whose claim may be lost
     * @param untilMillis the latest fire time of a slot that may be taken for a lost one
     */
    public record LossWindow(long fromMillis, long untilMillis) {
        public boolean has(long fireMillis) {
            return fireMillis >= fromMillis && fireMillis <= untilMillis;
        }
    }

    public History {
        stragglers = List.copyOf(stragglers);
        tasks = List.copyOf(tasks);
        rows = List.copyOf(rows);
        calls = List.copyOf(calls);
        openings = List.copyOf(openings);
    }

    public boolean mayBeLate(ReceivedCall call) {
        return stragglers.stream().anyMatch(some -> some.mayArriveLate(call));
    }

    /**
     * The number of calls that were under way when this call arrived, and which its node did not know of: because they
     * or this call were late, or because their process had died.
     */
    public long countOtherLateCalls(ReceivedCall call) {
        if (wasLate(call)) {
            return Long.MAX_VALUE;
        }
        List<ReceivedCall> earlier = calls.stream()
                .filter(other -> other.slot().taskId() == call.slot().taskId())
                .filter(other -> other.arrivedMicros() <= call.arrivedMicros())
                .toList();
        long straggling = earlier.stream()
                .filter(other -> other.arrivedMicros() > call.arrivedMicros() - UNDER_WAY_MICROS)
                .filter(this::wasLate)
                .count();
        Set<Long> ofTheDead = earlier.stream()
                .filter(this::isLeftBehind)
                .map(ReceivedCall::epoch)
                .collect(Collectors.toSet());
        return straggling
                + call.otherEpochs().stream().filter(ofTheDead::contains).count();
    }

    private boolean isLeftBehind(ReceivedCall call) {
        return stragglers.stream().anyMatch(some -> some.leftBehind(call));
    }

    private boolean wasLate(ReceivedCall call) {
        return stragglers.stream()
                .anyMatch(some -> some.mayArriveLate(call) && call.arrivedMicros() > some.startedByMillis() * 1000);
    }

    public Map<Long, WatchedTask> tasksById() {
        return tasks.stream().collect(Collectors.toMap(WatchedTask::id, Function.identity()));
    }

    /** The rows of each task, oldest fire time first. */
    public Map<Long, List<LedgerRow>> rowsByTask() {
        return rows.stream()
                .sorted((a, b) -> a.slot().compareTo(b.slot()))
                .collect(Collectors.groupingBy(row -> row.slot().taskId(), HashMap::new, Collectors.toList()));
    }

    public Map<CheckedSlot, List<ReceivedCall>> callsBySlot() {
        return calls.stream().collect(Collectors.groupingBy(ReceivedCall::slot));
    }
}
