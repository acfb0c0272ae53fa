package io.twinbell.ops.check;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Every slot of a timetable stands in the ledger once, with an outcome, and nothing else does. */
final class Coverage {
    /**
     * How far a task that is stopped may be behind its schedule. What lies further back was not waiting to be claimed:
     * it had been forgotten, and only the stop brought it into the ledger.
     */
    static final long BEHIND_MILLIS = 2000;

    private final Consumer<Offence> offences;

    private Coverage(Consumer<Offence> offences) {
        this.offences = offences;
    }

    static void check(History history, Consumer<Offence> offences) {
        Coverage coverage = new Coverage(offences);
        Map<Long, List<LedgerRow>> rows = history.rowsByTask();
        for (WatchedTask task : history.tasks()) {
            List<LedgerRow> own = rows.getOrDefault(task.id(), List.of());
            own.forEach(coverage::checkRow);
            coverage.checkStand(task, history.stoppedMillis());
            if (task.plan() instanceof Plan.Timetable timetable) {
                coverage.checkSlots(task, timetable, own);
            }
        }
    }

    private void checkRow(LedgerRow row) {
        if (!row.state().isFinal()) {
            tell(
                    Rule.UNFINISHED,
                    row.slot(),
                    "it is " + row.state() + " under epoch " + row.claim().epoch());
        }
    }

    private void checkStand(WatchedTask task, long stoppedMillis) {
        task.watch().standsAt().stream()
                .filter(next -> next <= stoppedMillis - BEHIND_MILLIS)
                .forEach(next -> tell(
                        Rule.NOT_CAUGHT_UP,
                        new Slot(task.id(), next),
                        "it waited for " + (stoppedMillis - next) + " ms to be claimed"));
    }

    private void checkSlots(WatchedTask task, Plan.Timetable timetable, List<LedgerRow> rows) {
        Set<Long> covered = new HashSet<>();
        for (LedgerRow row : rows) {
            cover(timetable, row, covered);
        }
        timetable
                .between(timetable.firstMillis(), task.watch().owedUntil())
                .filter(fire -> !covered.contains(fire))
                .forEach(fire -> tell(Rule.LOST, new Slot(task.id(), fire), task.name()));
    }

    private void cover(Plan.Timetable timetable, LedgerRow row, Set<Long> covered) {
        Slot slot = row.slot();
        if (!timetable.has(slot.fireMillis())) {
            tell(Rule.UNPLANNED, slot, "it is " + row.state());
            return;
        }
        long[] fires =
                timetable.between(slot.fireMillis(), row.cover().untilMillis()).toArray();
        if (fires.length != row.cover().slots()) {
            tell(Rule.MISCOUNTED, slot, "it says " + row.cover().slots() + " and the schedule has " + fires.length);
        }
        for (long fire : fires) {
            if (!covered.add(fire)) {
                tell(Rule.COVERED_TWICE, new Slot(slot.taskId(), fire), "again by the row of " + slot);
            }
        }
    }

    private void tell(Rule rule, Slot slot, String detail) {
        offences.accept(new Offence(rule, slot, detail));
    }
}
