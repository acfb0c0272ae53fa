package io.twinbell.tools.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All that happened while tasks were watched.
 *
 * @param openings the epoch that was current at the beginning, and every later one, in the order in which they were
 *     recorded
 * @param stoppedMillis when the tasks were stopped
 * @param stragglers the calls that may come when their epoch is over
 * @param peace the time after the last fault; empty if that is not known
 * @param loss what the database has lost for good; empty if it has lost nothing that nobody knows of
 */
public record History(
        List<WatchedTask> tasks,
        List<LedgerRow> rows,
        List<ReceivedCall> calls,
        List<EpochOpening> openings,
        long stoppedMillis,
        List<Stragglers> stragglers,
        Optional<Peace> peace,
        Optional<Loss> loss) {
    /** Longer than the work of any call. */
    private static final long UNDER_WAY_MICROS = 1_000_000;
    /** What a process that died had sent is read from the receiver's sockets by then. */
    private static final long READ_WITHIN_MICROS = 1_000_000;

    /** One in which no call may straggle. */
    public History(
            List<WatchedTask> tasks,
            List<LedgerRow> rows,
            List<ReceivedCall> calls,
            List<EpochOpening> openings,
            long stoppedMillis) {
        this(tasks, rows, calls, openings, stoppedMillis, List.of());
    }

    /** One of which nobody knows when its last fault was mended. */
    public History(
            List<WatchedTask> tasks,
            List<LedgerRow> rows,
            List<ReceivedCall> calls,
            List<EpochOpening> openings,
            long stoppedMillis,
            List<Stragglers> stragglers) {
        this(tasks, rows, calls, openings, stoppedMillis, stragglers, Optional.empty(), Optional.empty());
    }

    /**
     * A process, or its network, was stopped, for a while or for good. Whatever it had started by then may reach the
     * receiver at any time later: nobody can take that back. What it starts afterwards is its own fault.
     *
     * @param epoch that of the process
     * @param startedByMillis the last instant at which it may have started a handler, so the last fire time too
     * @param isDead what it had called goes on at the receiver, and nobody is left who knows when that ends
     */
    public record Stragglers(long epoch, long startedByMillis, boolean isDead) {
        boolean include(ReceivedCall call) {
            return call.epoch() == epoch && call.slot().fireMillis() <= startedByMillis;
        }

        /** What the dead had called before they died was on time, or their own fault. */
        boolean mayArriveLate(ReceivedCall call) {
            long afterMicros = call.arrivedMicros() - startedByMillis * 1000;
            return include(call) && (!isDead || afterMicros > 0 && afterMicros <= READ_WITHIN_MICROS);
        }

        boolean leftBehind(ReceivedCall call) {
            return isDead && include(call);
        }
    }

    /**
     * Nothing went wrong any more.
     *
     * @param fromMillis when the last fault was mended
     * @param caughtUpWithinMillis how long the pair may then take to catch up
     */
    public record Peace(long fromMillis, long caughtUpWithinMillis) {}

    /**
     * The database has lost its latest commits, and with them the master that had made them.
     *
     * @param fromMillis the oldest fire time of a slot of which the claim may be lost
     * @param untilMillis the latest fire time of a slot that may be taken for one of them
     */
    public record Loss(long fromMillis, long untilMillis) {
        boolean has(long fireMillis) {
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

    boolean mayStraggle(ReceivedCall call) {
        return stragglers.stream().anyMatch(some -> some.mayArriveLate(call));
    }

    /**
     * How many calls under way at its arrival its node could not have known of: because they, or it, straggled, or because
     * a process that has died had made them.
     */
    long stragglersBeside(ReceivedCall call) {
        if (straggled(call)) {
            return Long.MAX_VALUE;
        }
        List<ReceivedCall> earlier = calls.stream()
                .filter(other -> other.slot().taskId() == call.slot().taskId())
                .filter(other -> other.arrivedMicros() <= call.arrivedMicros())
                .toList();
        long straggling = earlier.stream()
                .filter(other -> other.arrivedMicros() > call.arrivedMicros() - UNDER_WAY_MICROS)
                .filter(this::straggled)
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

    private boolean straggled(ReceivedCall call) {
        return stragglers.stream()
                .anyMatch(some -> some.mayArriveLate(call) && call.arrivedMicros() > some.startedByMillis() * 1000);
    }

    Map<Long, WatchedTask> tasksById() {
        return tasks.stream().collect(Collectors.toMap(WatchedTask::id, Function.identity()));
    }

    /** Every task's rows, oldest fire time first. */
    Map<Long, List<LedgerRow>> rowsByTask() {
        return rows.stream()
                .sorted((a, b) -> a.slot().compareTo(b.slot()))
                .collect(Collectors.groupingBy(row -> row.slot().taskId(), HashMap::new, Collectors.toList()));
    }

    Map<CheckedSlot, List<ReceivedCall>> callsBySlot() {
        return calls.stream().collect(Collectors.groupingBy(ReceivedCall::slot));
    }
}
