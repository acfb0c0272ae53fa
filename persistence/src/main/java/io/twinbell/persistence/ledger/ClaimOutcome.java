package io.twinbell.persistence.ledger;

import java.util.HashSet;
import java.util.Set;

/**
 * What a batch of claims did.
 *
 * @param authorised false if the epoch was superseded: nothing was changed but what is named here
 * @param advanced the tasks that moved on
 * @param entered those of them whose ledger row was new; the others' slots were in the ledger already and run nothing
 * @param exhausted those of them that have had all their runs, and so are finished before their schedule is
 */
public record ClaimOutcome(boolean authorised, Set<Long> advanced, Set<Long> entered, Set<Long> exhausted) {
    /** Where a task that advanced stands now. */
    public long nextMillis(Claim claim) {
        boolean isSplit = claim.entry().slots() > 1 && !entered.contains(claim.taskId());
        return isSplit ? claim.entry().secondMillis() : claim.nextMillis();
    }

    /** Together with what became of other claims of the batch right afterwards. */
    ClaimOutcome and(ClaimOutcome later) {
        return new ClaimOutcome(
                authorised && later.authorised(),
                union(advanced, later.advanced()),
                union(entered, later.entered()),
                union(exhausted, later.exhausted()));
    }

    private static Set<Long> union(Set<Long> some, Set<Long> others) {
        Set<Long> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    static final ClaimOutcome FENCED = new ClaimOutcome(false, Set.of(), Set.of(), Set.of());
}
