package io.twinbell.tools.check;

import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Rule: a ledger row does not contradict itself. */
final class RowSanityRule implements RowRule {
    /** A clock corrected between two instants may show them in reverse order, up to this difference. */
    private static final long SLACK_MILLIS = 1000;

    private final Consumer<Violation> violations;

    RowSanityRule(Consumer<Violation> offences) {
        this.violations = offences;
    }

    @Override
    public void row(LedgerRow row) {
        checkCover(row);
        if (row.reason() == null && row.state().owesReason()) {
            report(Rule.SILENT, row, "it is " + row.state());
        }
        checkTimes(row);
        checkClaim(row);
    }

    private void checkCover(LedgerRow row) {
        long slots = row.cover().slots();
        long fire = row.slot().fireMillis();
        boolean isRange = row.cover().untilMillis() != fire;
        if (slots < 1 || row.cover().untilMillis() < fire || isRange != slots > 1) {
            report(Rule.MISCOUNTED, row, "it says " + slots + " slots and " + (isRange ? "a range" : "no range"));
        } else if (slots > 1 && !row.state().saysNotRun() && !LedgerReasons.has(row, LedgerReasons.IN_DOUBT)) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and covers " + slots + " slots");
        }
    }

    private void checkTimes(LedgerRow row) {
        OptionalLong started = row.times().startedMillis();
        OptionalLong ended = row.times().endedMillis();
        if (started.isPresent() && started.getAsLong() < row.slot().fireMillis()) {
            report(
                    Rule.EARLY,
                    row,
                    "recorded as started " + (row.slot().fireMillis() - started.getAsLong())
                            + " ms before its fire time");
        }
        if (row.state().isFinal() && ended.isEmpty()) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and has no end");
        } else if (row.state().saysNotRun() && started.isPresent()) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and was started");
        } else if (row.state() == LedgerRow.State.SUCCEEDED && started.isEmpty()) {
            report(Rule.CONTRADICTION, row, "it is SUCCEEDED and was not started");
        } else if (started.isPresent() && ended.isPresent() && ended.getAsLong() < started.getAsLong() - SLACK_MILLIS) {
            report(Rule.CONTRADICTION, row, "it ended before it was started");
        }
    }

    private void checkClaim(LedgerRow row) {
        LedgerRow.LatestClaim claim = row.claim();
        if (claim.atMillis().isPresent() != claim.isMade()) {
            report(Rule.CONTRADICTION, row, "it has an epoch without a claim, or a claim without an epoch");
        } else if (!claim.isMade() && row.state().saysClaimed()) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and was not claimed");
        }
    }

    private void report(Rule rule, LedgerRow row, String detail) {
        violations.accept(new Violation(rule, row.slot(), detail));
    }
}
