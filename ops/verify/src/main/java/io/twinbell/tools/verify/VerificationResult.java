package io.twinbell.tools.verify;

import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import java.util.List;
import java.util.Map;

/**
 * The result of a verification.
 *
 * @param unverified what could not be checked against a definition, one sentence each
 * @param inDoubt slots of the span that may have run on a primary that was lost together with its master
 * @param violations the first violations
 * @param violationsByRule the number of all violations by rule
 */
public record VerificationResult(
        long sinceMillis,
        long untilMillis,
        Figures figures,
        List<String> unverified,
        InDoubt inDoubt,
        List<Violation> violations,
        Map<Rule, Long> violationsByRule) {
    /**
     * Counts of a verification.
     *
     * @param whole tasks that were verified from the beginning of the span
     * @param partly tasks that were verified only for a later part of it
     * @param slots the slots that the rows cover
     */
    public record Figures(long whole, long partly, long none, long rows, long slots, long underWay) {}

    /**
     * Slots whose outcome a successor could not know.
     *
     * @param slots the number of slots
     * @param named the first ledger rows that cover them, one line each
     */
    public record InDoubt(long slots, List<String> named) {
        public static final InDoubt NONE = new InDoubt(0, List.of());
    }

    public boolean isSound() {
        return violationsByRule.isEmpty();
    }

    public long violationCount() {
        return violationsByRule.values().stream().mapToLong(Long::longValue).sum();
    }
}
