package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.RuleContext;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Rule: an execution is dropped only if its policy says so, and only by a successor of the master that claimed it. */
final class DropRule implements RowRule {
    private final RuleContext context;
    private final EpochOwnership ownership;
    private final Consumer<Violation> violations;

    DropRule(RuleContext context, EpochOwnership ownership, Consumer<Violation> offences) {
        this.context = context;
        this.ownership = ownership;
        this.violations = offences;
    }

    @Override
    public void row(LedgerRow row) {
        OptionalLong dropped = row.times().endedMillis();
        boolean isExplained =
                LedgerReasons.has(row, LedgerReasons.TASK_GONE) || LedgerReasons.has(row, LedgerReasons.IN_DOUBT);
        if (row.state() != LedgerRow.State.DROPPED || dropped.isEmpty() || isExplained) {
            return;
        }
        if (context.policies().reruns() && context.arePoliciesKnownAt(dropped.getAsLong())) {
            report(row, "its task reruns orphans");
        }
        boolean isReleased = context.people() && LedgerReasons.has(row, LedgerReasons.RELEASED);
        if (!isReleased
                && row.claim().isMade()
                && ownership.isOpenAt(row.claim().epoch(), dropped.getAsLong())) {
            report(row, "it was claimed under epoch " + row.claim().epoch() + ", which was current then");
        }
    }

    private void report(LedgerRow row, String detail) {
        violations.accept(new Violation(Rule.DROPPED_UNEXPLAINED, row.slot(), detail));
    }
}
