package io.twinbell.tools.check;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Rule: every fire time of a fixed-delay task, up to the last one, counts from the end of the previous run. */
final class FixedDelayRule {
    /** The end of a slot that did not run is written slightly after its next fire time was computed. */
    private static final long SETTLING_MILLIS = 1000;

    private final WatchedTask task;
    private final OwedSlotPlan.Chain plan;
    private final Consumer<Violation> violations;

    private FixedDelayRule(WatchedTask task, OwedSlotPlan.Chain plan, Consumer<Violation> offences) {
        this.task = task;
        this.plan = plan;
        this.violations = offences;
    }

    static void check(History history, Consumer<Violation> offences) {
        Map<Long, List<LedgerRow>> rows = history.rowsByTask();
        for (WatchedTask task : history.tasks()) {
            if (task.plan() instanceof OwedSlotPlan.Chain plan) {
                new FixedDelayRule(task, plan, offences).check(rows.getOrDefault(task.id(), List.of()));
            }
        }
    }

    private void check(List<LedgerRow> rows) {
        OptionalLong expected = OptionalLong.of(plan.firstMillis());
        long tolerance = 0;
        for (LedgerRow row : rows) {
            checkLink(row, expected, tolerance);
            expected = row.times().endedMillis().stream()
                    .map(end -> end + plan.delayMillis())
                    .findFirst();
            tolerance = row.state().saysRunEnded() ? 0 : SETTLING_MILLIS;
        }
        long slack = tolerance;
        expected.stream()
                .filter(fire -> fire + slack <= task.watch().owedUntil())
                .forEach(fire -> violations.accept(
                        new Violation(Rule.LOST, new CheckedSlot(task.id(), fire), "the chain ends here")));
    }

    private void checkLink(LedgerRow row, OptionalLong expected, long tolerance) {
        if (expected.isEmpty()) {
            report(row.slot(), "the previous run has not ended");
            return;
        }
        long late = row.slot().fireMillis() - expected.getAsLong();
        if (Math.abs(late) > tolerance) {
            report(
                    row.slot(),
                    "it is off by " + late + " ms from " + plan.delayMillis() + " ms after the end of the previous"
                            + " run");
        }
    }

    private void report(CheckedSlot slot, String detail) {
        violations.accept(new Violation(Rule.CHAIN_BROKEN, slot, detail));
    }
}
