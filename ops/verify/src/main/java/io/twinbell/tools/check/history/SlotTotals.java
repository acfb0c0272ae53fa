package io.twinbell.tools.check.history;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The number of slots by outcome. Only owed slots count, so the outcomes add up to {@code owed} if no slot was lost.
 *
 * @param settled executions in flight at the death of their master, found without an outcome by a later master
 * @param settledAndSkipped settled executions that were to run again, but were skipped because another run of their
 *     task was under way
 * @param calledAgain slots that the receiver saw in more than one attempt
 * @param calledTwice attempts that the receiver saw more than once
 */
public record SlotTotals(
        long owed,
        Map<LedgerRow.State, Long> ends,
        long settled,
        long settledAndSkipped,
        long calledAgain,
        long calledTwice) {
    public static SlotTotals of(History history) {
        Map<LedgerRow.State, Long> ends = new EnumMap<>(LedgerRow.State.class);
        Map<Long, List<LedgerRow>> rows = history.rowsByTask();
        long owed = 0;
        for (WatchedTask task : history.tasks()) {
            long ended = 0;
            for (LedgerRow row : rows.getOrDefault(task.id(), List.of())) {
                long slots = owedSlots(task, row);
                ended += slots;
                ends.merge(row.state(), slots, Long::sum);
            }
            owed += task.plan() instanceof OwedSlotPlan.Timetable timetable ? owedSlots(task, timetable) : ended;
        }
        return new SlotTotals(
                owed, ends, settled(history), settledAndSkipped(history), calledAgain(history), calledTwice(history));
    }

    public long ended(LedgerRow.State state) {
        return ends.getOrDefault(state, 0L);
    }

    public long dropped() {
        return ended(LedgerRow.State.DROPPED);
    }

    private static long owedSlots(WatchedTask task, OwedSlotPlan.Timetable timetable) {
        return timetable
                .between(timetable.firstMillis(), task.watch().owedUntil())
                .count();
    }

    private static long owedSlots(WatchedTask task, LedgerRow row) {
        long until = Math.min(row.cover().untilMillis(), task.watch().owedUntil());
        if (task.plan() instanceof OwedSlotPlan.Timetable timetable) {
            return timetable.between(row.slot().fireMillis(), until).count();
        }
        return row.slot().fireMillis() <= until ? 1 : 0;
    }

    private static long settled(History history) {
        return history.rows().stream()
                .filter(row ->
                        row.state() == LedgerRow.State.DROPPED || row.claim().attempt() > 1)
                .count();
    }

    private static long settledAndSkipped(History history) {
        return history.rows().stream()
                .filter(row ->
                        row.state() == LedgerRow.State.SKIPPED && row.claim().attempt() > 1)
                .count();
    }

    private static long calledAgain(History history) {
        return history.callsBySlot().values().stream()
                .filter(calls -> calls.stream()
                                .mapToInt(ReceivedCall::attempt)
                                .distinct()
                                .count()
                        > 1)
                .count();
    }

    private static long calledTwice(History history) {
        return history.callsBySlot().values().stream()
                .mapToLong(calls -> calls.size()
                        - calls.stream()
                                .mapToInt(ReceivedCall::attempt)
                                .distinct()
                                .count())
                .sum();
    }
}
