package io.twinbell.persistence.ledger;

import java.util.Set;

/**
 * What a batch of claims did.
 *
 * @param authorised false if the epoch was superseded: nothing was changed
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

    static final ClaimOutcome FENCED = new ClaimOutcome(false, Set.of(), Set.of(), Set.of());
}
