package io.twinbell.persistence.ledger.claim;

import java.util.HashSet;
import java.util.Set;

/**
 * The result of a batch of claims.
 *
 * @param authorised false if the epoch was superseded: then only what is listed here was changed
 * @param advanced the tasks that were advanced
 * @param entered the advanced tasks whose ledger row is new; the slots of the others were in the ledger already and
 *     run nothing
 * @param exhausted the advanced tasks that have reached their maximum of runs, and so finished before their
 *     schedule did
 */
public record ClaimOutcome(boolean authorised, Set<Long> advanced, Set<Long> entered, Set<Long> exhausted) {
    /** The next fire time of a task that was advanced. */
    public long nextMillis(DecidedSlot claim) {
        boolean isSplit = claim.entry().slots() > 1 && !entered.contains(claim.taskId());
        return isSplit ? claim.entry().secondMillis() : claim.nextMillis();
    }

    /** Combines this outcome with that of later claims of the same batch. */
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
