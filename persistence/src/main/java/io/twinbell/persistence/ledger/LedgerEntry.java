package io.twinbell.persistence.ledger;

/**
 * The ledger row that a claim writes.
 *
 * @param state CLAIMED, or a final state for slots that nothing is run for
 * @param untilMillis the last fire time that the row stands for
 * @param slots how many it stands for
 * @param reason null for CLAIMED
 */
public record LedgerEntry(ExecutionState state, long untilMillis, long slots, String reason) {
    public static LedgerEntry claimed(long fireMillis) {
        return new LedgerEntry(ExecutionState.CLAIMED, fireMillis, 1, null);
    }
}
