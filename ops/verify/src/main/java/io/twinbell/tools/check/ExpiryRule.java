package io.twinbell.tools.check;

import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.RuleContext;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Rule: the first attempt of a planned slot starts within the time that its task allows. Requested runs and further
 * attempts do not expire.
 */
final class ExpiryRule implements RowRule {
    private final RuleContext context;
    private final Consumer<Violation> violations;

    ExpiryRule(RuleContext context, Consumer<Violation> offences) {
        this.context = context;
        this.violations = offences;
    }

    @Override
    public void row(LedgerRow row) {
        OptionalLong allowed = context.policies().expireMillis();
        OptionalLong started = row.times().startedMillis();
        if (allowed.isPresent() && started.isPresent() && mayExpire(row)) {
            long late = started.getAsLong() - row.slot().fireMillis();
            if (late > allowed.getAsLong()) {
                violations.accept(new Violation(
                        Rule.EXPIRED_START,
                        row.slot(),
                        "it started " + late + " ms after its fire time, but its task allows "
                                + Duration.ofMillis(allowed.getAsLong())));
            }
        }
    }

    private boolean mayExpire(LedgerRow row) {
        return row.claim().attempt() == 1
                && !row.isRequested()
                && context.arePoliciesKnownAt(row.claim().atMillis().orElse(Long.MIN_VALUE));
    }
}
