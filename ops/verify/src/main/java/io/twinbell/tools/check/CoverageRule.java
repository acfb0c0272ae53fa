package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Rule: every slot of a timetable is in the ledger exactly once, with an outcome, and no other planned slot is. */
final class CoverageRule {
    /**
     * How far behind its schedule a stopped task may be. An older slot was not waiting for its claim: it had been
     * forgotten, and only the stop brought it into the ledger.
     */
    static final long BEHIND_MILLIS = 2000;

    private final Consumer<Violation> violations;

    private CoverageRule(Consumer<Violation> offences) {
        this.violations = offences;
    }

    static void check(History history, Consumer<Violation> offences) {
        CoverageRule coverage = new CoverageRule(offences);
        Map<Long, List<LedgerRow>> rows = history.rowsByTask();
        for (WatchedTask task : history.tasks()) {
            List<LedgerRow> own = rows.getOrDefault(task.id(), List.of());
            own.forEach(coverage::checkRow);
            coverage.checkStand(task, history.stoppedMillis());
            if (task.plan() instanceof OwedSlotPlan.Timetable timetable) {
                coverage.checkSlots(task, timetable, own);
            }
        }
    }

    private void checkRow(LedgerRow row) {
        if (!row.state().isFinal()) {
            report(
                    Rule.UNFINISHED,
                    row.slot(),
                    "it is " + row.state() + " under epoch " + row.claim().epoch());
        }
    }

    private void checkStand(WatchedTask task, long stoppedMillis) {
        task.watch().standsAt().stream()
                .filter(next -> next <= stoppedMillis - BEHIND_MILLIS)
                .forEach(next -> report(
                        Rule.NOT_CAUGHT_UP,
                        new CheckedSlot(task.id(), next),
                        "it waited for " + (stoppedMillis - next) + " ms to be claimed"));
    }

    private void checkSlots(WatchedTask task, OwedSlotPlan.Timetable timetable, List<LedgerRow> rows) {
        Set<Long> covered = new HashSet<>();
        for (LedgerRow row : rows) {
            cover(timetable, row, covered);
        }
        timetable
                .between(timetable.firstMillis(), task.watch().owedUntil())
                .filter(fire -> !covered.contains(fire))
                .forEach(fire -> report(Rule.LOST, new CheckedSlot(task.id(), fire), task.name()));
    }

    private void cover(OwedSlotPlan.Timetable timetable, LedgerRow row, Set<Long> covered) {
        CheckedSlot slot = row.slot();
        if (!timetable.has(slot.fireMillis())) {
            report(Rule.UNPLANNED, slot, "it is " + row.state());
            return;
        }
        long[] fires =
                timetable.between(slot.fireMillis(), row.cover().untilMillis()).toArray();
        if (fires.length != row.cover().slots()) {
            report(
                    Rule.MISCOUNTED,
                    slot,
                    "it says " + row.cover().slots() + " slots, but the schedule has " + fires.length);
        }
        for (long fire : fires) {
            if (!covered.add(fire)) {
                report(Rule.COVERED_TWICE, new CheckedSlot(slot.taskId(), fire), "also covered by the row of " + slot);
            }
        }
    }

    private void report(Rule rule, CheckedSlot slot, String detail) {
        violations.accept(new Violation(rule, slot, detail));
    }
}
