package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import java.util.function.Consumer;

/** Rule: an execution has a further attempt only if its task's policy, or a person, asked for one. */
final class AttemptRule implements RowRule {
    private final RuleContext context;
    private final EpochOwnership ownership;
    private final Consumer<Violation> violations;

    AttemptRule(RuleContext context, EpochOwnership ownership, Consumer<Violation> offences) {
        this.context = context;
        this.ownership = ownership;
        this.violations = offences;
    }

    @Override
    public void row(LedgerRow row) {
        int attempt = row.claim().counted() - requested(row);
        if (row.claim().counted() < 0 || row.claim().attempt() < 1) {
            report(row, "attempt " + row.claim().attempt() + ", " + row.claim().snoozes() + " of them snoozed");
        } else if (attempt > context.policies().maxAttempts() && isUnderCurrentPolicies(row)) {
            checkBeyond(row, attempt, attempt - context.policies().maxAttempts());
        }
    }

    /** The attempts that reruns on request added. */
    private int requested(LedgerRow row) {
        return context.people() ? row.claim().reruns() : 0;
    }

    private boolean isUnderCurrentPolicies(LedgerRow row) {
        return context.arePoliciesKnownAt(row.claim().atMillis().orElse(Long.MIN_VALUE));
    }

    private void checkBeyond(LedgerRow row, int attempt, long beyond) {
        int most = context.policies().maxAttempts();
        String retried = most > 1 ? " and allows " + most + " attempts" : "";
        if (!context.policies().reruns()) {
            report(row, "attempt " + attempt + " of a task that drops orphans" + retried);
        } else if (LedgerReasons.isRerunOfLeft(row) && attempt > Math.max(most, TaskPolicyFacts.ATTEMPTS_OF_A_RERUN)) {
            report(row, "attempt " + attempt + " after attempts without an outcome" + retried);
        } else if (!context.people() && beyond > ownership.changes()) {
            report(row, "attempt " + attempt + " after " + ownership.changes() + " changes of master" + retried);
        }
    }

    private void report(LedgerRow row, String detail) {
        violations.accept(new Violation(Rule.ATTEMPT_UNEXPLAINED, row.slot(), detail));
    }
}
