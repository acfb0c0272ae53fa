package io.twinbell.persistence.ledger;

/**
 * The ledger row that a claim writes.
 *
 * @param state CLAIMED, or a final state for slots that do not run; null if there is no slot and so no row
 * @param untilMillis the last fire time that the row stands for
 * @param slots how many slots the row stands for
 * @param secondMillis the fire time of the second slot, if there are several: if the first has a row already,
 *     nothing is inserted and the task continues at the second
 * @param reason null for CLAIMED, unless the slot may have run before; without a row, why the task finishes if it
 *     does
 */
public record LedgerEntry(ExecutionState state, long untilMillis, long slots, long secondMillis, String reason) {
    public static LedgerEntry claimed(long fireMillis) {
        return claimed(fireMillis, null);
    }

    /** @param reason null unless the slot may have run before */
    public static LedgerEntry claimed(long fireMillis, String reason) {
        return new LedgerEntry(ExecutionState.CLAIMED, fireMillis, 1, fireMillis, reason);
    }

    /** One slot that does not run. */
    public static LedgerEntry withoutRun(ExecutionState state, long fireMillis, String reason) {
        return new LedgerEntry(state, fireMillis, 1, fireMillis, reason);
    }

    /** No row: the task's next fire time is not a fire time of its schedule, so the task only advances. */
    public static LedgerEntry none(long millis, String reason) {
        return new LedgerEntry(null, millis, 0, millis, reason);
    }
}
