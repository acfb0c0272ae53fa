package io.twinbell.persistence.ledger;

/**
 * The ledger row that a claim writes.
 *
 * @param state CLAIMED, or a final state for slots that nothing is run for; null if there is no slot and so no row
 * @param untilMillis the last fire time that the row stands for
 * @param slots how many it stands for
 * @param secondMillis of more than one, the second: if the first has a row already, nothing is entered and the task goes
 *     on there
 * @param reason null for CLAIMED, unless it may have run before; without a row, why the task is finished if it is
 */
public record LedgerEntry(ExecutionState state, long untilMillis, long slots, long secondMillis, String reason) {
    public static LedgerEntry claimed(long fireMillis) {
        return claimed(fireMillis, null);
    }

    /** @param reason null unless it may have run before */
    public static LedgerEntry claimed(long fireMillis, String reason) {
        return new LedgerEntry(ExecutionState.CLAIMED, fireMillis, 1, fireMillis, reason);
    }

    /** One slot that nothing is run for. */
    public static LedgerEntry passedOver(ExecutionState state, long fireMillis, String reason) {
        return new LedgerEntry(state, fireMillis, 1, fireMillis, reason);
    }

    /** The time at which the task stands is no fire time: it goes on, and no row is written. */
    public static LedgerEntry none(long millis, String reason) {
        return new LedgerEntry(null, millis, 0, millis, reason);
    }
}
