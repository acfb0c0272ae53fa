package io.twinbell.persistence.ledger;

/**
 * One task's advance over one ledger row, decided but not yet durable.
 *
 * @param version the task's version that it was decided on
 * @param expectedMillis the next fire time that the task must still have
 * @param nextMillis where it advances to; {@link Long#MAX_VALUE} for none
 * @param finished whether the task has no further fire time for good
 * @param maxRuns the claim that makes it this many runs finishes the task; {@link #UNLIMITED} for as many as there are
 * @param entry what is entered for the slot
 */
public record Claim(
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
