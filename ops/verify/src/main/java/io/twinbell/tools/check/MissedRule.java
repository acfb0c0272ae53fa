package io.twinbell.tools.check;

import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.RuleContext;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Rule: slots are missed only if they are late enough for that, or if their task was changed. */
final class MissedRule {
    /** The shortest retention that a ledger can have. */
    private static final long LEAST_RETENTION_MILLIS = Duration.ofDays(1).toMillis();

    private final RuleContext context;
    private final Consumer<Violation> violations;

    MissedRule(RuleContext context, Consumer<Violation> offences) {
        this.context = context;
        this.violations = offences;
    }

    void row(LedgerRow row) {
        if (!row.state().saysNotRun() || LedgerReasons.isRefusedFollower(row.reason())) {
            return;
        }
        if (!row.claim().isMade()) {
            row.times().endedMillis().ifPresent(entered -> checkChange(row, entered));
        } else if (row.state() == LedgerRow.State.MISSED) {
            boolean isExpired = LedgerReasons.expireAfter(row.reason()).isPresent();
            OptionalLong decided =
                    isExpired ? row.times().endedMillis() : row.claim().atMillis();
            decided.ifPresent(millis -> checkLateness(row, millis));
        }
    }

    /**
     * Checks unclaimed slots: a change of the task skips the slots that are due, and the master records that slightly
     * later.
     */
    private void checkChange(LedgerRow row, long enteredMillis) {
        long last = row.cover().untilMillis();
        if (enteredMillis < last) {
            report(row, "it was recorded " + (last - enteredMillis) + " ms before it was due");
        } else if (context.lastChange(last, enteredMillis).isEmpty()) {
            report(row, "it was not claimed, and its task was not changed");
        }
    }

    /**
     * Checks the lateness. The claim's instant was written after the decision, so it is an upper bound for the
     * decision's instant.
     */
    private void checkLateness(LedgerRow row, long decidedMillis) {
        long last = row.cover().untilMillis();
        if (decidedMillis < last) {
            report(row, "it covers slots due up to " + (last - decidedMillis) + " ms later");
        }
        long late = decidedMillis - row.slot().fireMillis();
        OptionalLong least = leastMillis(row, decidedMillis);
        if (least.isPresent() && late <= least.getAsLong()) {
            report(
                    row,
                    "it was " + late + " ms late, but a missed slot is more than "
                            + Duration.ofMillis(least.getAsLong()) + " late");
        }
    }

    /** The least lateness for a misfire. If the policies are unknown, the row's reason gives it. */
    private OptionalLong leastMillis(LedgerRow row, long decidedMillis) {
        if (LedgerReasons.has(row, LedgerReasons.RESTORED)) {
            return OptionalLong.empty();
        }
        if (LedgerReasons.has(row, LedgerReasons.TOO_OLD)) {
            return OptionalLong.of(LEAST_RETENTION_MILLIS);
        }
        Optional<Duration> expireAfter = LedgerReasons.expireAfter(row.reason());
        if (expireAfter.isPresent()) {
            return OptionalLong.of(expireAfter.get().toMillis());
        }
        return context.arePoliciesKnownAt(decidedMillis)
                        && context.policies().thresholdMillis().isPresent()
                ? context.policies().thresholdMillis()
                : LedgerReasons.threshold(row.reason()).stream()
                        .mapToLong(Duration::toMillis)
                        .findFirst();
    }

    private void report(LedgerRow row, String detail) {
        Rule rule = row.state() == LedgerRow.State.MISSED ? Rule.MISSED_UNEXPLAINED : Rule.SKIPPED_UNEXPLAINED;
        violations.accept(new Violation(rule, row.slot(), detail));
    }
}
