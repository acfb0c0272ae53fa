package io.twinbell.ops.check;

import java.util.function.Consumer;

/** There is a further attempt only where the policy says so, or a person. */
final class Attempts implements RowRule {
    private final Grounds grounds;
    private final Reigns reigns;
    private final Consumer<Offence> offences;

    Attempts(Grounds grounds, Reigns reigns, Consumer<Offence> offences) {
        this.grounds = grounds;
        this.reigns = reigns;
        this.offences = offences;
    }

    @Override
    public void row(LedgerRow row) {
        int attempt = row.claim().attempt();
        if (attempt < 1) {
            tell(row, "attempt " + attempt);
        } else if (attempt > grounds.policies().maxAttempts() && isUnderPresentPolicies(row) && !isByHand(row)) {
            checkBeyond(row, attempt, attempt - grounds.policies().maxAttempts());
        }
    }

    /** A person's reason stands in the place of the one before; what was settled after that says so again. */
    private boolean isByHand(LedgerRow row) {
        return grounds.people() && row.reason() != null && !Reasons.isRerunOfLeft(row);
    }

    private boolean isUnderPresentPolicies(LedgerRow row) {
        return grounds.knowPoliciesAt(row.claim().atMillis().orElse(Long.MIN_VALUE));
    }

    private void checkBeyond(LedgerRow row, int attempt, long beyond) {
        int most = grounds.policies().maxAttempts();
        String retried = most > 1 ? " and is tried " + most + " times" : "";
        if (!grounds.policies().reruns()) {
            tell(row, "attempt " + attempt + " of a task that drops orphans" + retried);
        } else if (Reasons.isRerunOfLeft(row) && attempt > Math.max(most, Policies.ATTEMPTS_OF_A_RERUN)) {
            tell(row, "attempt " + attempt + " after others were left behind" + retried);
        } else if (!grounds.people() && beyond > reigns.changes()) {
            tell(row, "attempt " + attempt + " after " + reigns.changes() + " changes of master" + retried);
        }
    }

    private void tell(LedgerRow row, String detail) {
        offences.accept(new Offence(Rule.ATTEMPT_UNEXPLAINED, row.slot(), detail));
    }
}
