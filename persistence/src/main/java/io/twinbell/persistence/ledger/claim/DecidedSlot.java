package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.Slot;

/**
 * A decided but not yet durable claim: one ledger row, and the advance of its task.
 *
 * @param version the version of the task that the decision is based on
 * @param expectedMillis the next fire time that the task must still have
 * @param nextMillis the task's new next fire time; {@link Long#MAX_VALUE} for none
 * @param finished whether the task has no further fire time
 * @param maxRuns the number of runs after whose claim the task finishes; {@link #UNLIMITED} for no limit
 * @param entry the ledger row of the slot
 */
public record DecidedSlot(
        long taskId,
        long version,
        long expectedMillis,
        long nextMillis,
        boolean finished,
        long maxRuns,
        LedgerEntry entry) {
    public static final long NONE = Long.MAX_VALUE;
    public static final long UNLIMITED = Long.MAX_VALUE;

    public Slot slot() {
        return new Slot(taskId, expectedMillis);
    }
}
