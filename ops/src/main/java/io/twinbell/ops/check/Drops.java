package io.twinbell.ops.check;

import java.util.OptionalLong;
import java.util.function.Consumer;

/** An execution is given up only where its policy says so, and only by a successor of the master that had it. */
final class Drops implements RowRule {
    private final Grounds grounds;
    private final Reigns reigns;
    private final Consumer<Offence> offences;

    Drops(Grounds grounds, Reigns reigns, Consumer<Offence> offences) {
        this.grounds = grounds;
        this.reigns = reigns;
        this.offences = offences;
    }

    @Override
    public void row(LedgerRow row) {
        OptionalLong dropped = row.times().endedMillis();
        boolean isExplained = Reasons.has(row, Reasons.TASK_GONE) || Reasons.has(row, Reasons.IN_DOUBT);
        if (row.state() != LedgerRow.State.DROPPED || dropped.isEmpty() || isExplained) {
            return;
        }
        if (grounds.policies().reruns() && grounds.knowPoliciesAt(dropped.getAsLong())) {
            tell(row, "its task reruns orphans");
        }
        boolean isReleased = grounds.people() && Reasons.has(row, Reasons.RELEASED);
        if (!isReleased && row.claim().isMade() && reigns.isReigning(row.claim().epoch(), dropped.getAsLong())) {
            tell(row, "it was claimed under epoch " + row.claim().epoch() + ", which was current then");
        }
    }

    private void tell(LedgerRow row, String detail) {
        offences.accept(new Offence(Rule.DROPPED_UNEXPLAINED, row.slot(), detail));
    }
}
