package io.twinbell.tools.verify;

import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import java.util.List;
import java.util.Map;

/**
 * What a verification found.
 *
 * @param unverified what could not be held against a definition, one sentence each
 * @param inDoubt slots of the span that may have run on a primary that was lost together with its master
 * @param wounds the first of them
 * @param woundsByRule all of them
 */
public record VerificationResult(
        long sinceMillis,
        long untilMillis,
        Figures figures,
        List<String> unverified,
        InDoubt inDoubt,
        List<Violation> wounds,
        Map<Rule, Long> woundsByRule) {
    /**
     * Figures.
     *
     * @param whole tasks that were verified from the beginning of the span
     * @param partly tasks of which only a later part could be
     * @param slots that the rows stand for
     */
    public record Figures(long whole, long partly, long none, long rows, long slots, long underWay) {}

    /**
     * What a successor could not know.
     *
     * @param slots how many they are
     * @param named the first of the ledger's rows that stand for them, one line each
     */
    public record InDoubt(long slots, List<String> named) {
        public static final InDoubt NONE = new InDoubt(0, List.of());
    }

    public boolean isSound() {
        return woundsByRule.isEmpty();
    }

    public long woundCount() {
        return woundsByRule.values().stream().mapToLong(Long::longValue).sum();
    }
}
