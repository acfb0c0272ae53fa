package io.twinbell.persistence.task;

/**
 * Slots that were due, and that an edit, a pause or a removal passed over before they were claimed. The master enters
 * them in the ledger as one row.
 *
 * @param firstMillis fire time of the oldest, in milliseconds since 1970 UTC
 * @param secondMillis fire time of the one after it, where the row begins if the first has one already; the first itself
 *     if there is no other
 * @param lastMillis fire time of the newest
 */
public record PassedSlots(
        long firstMillis, long secondMillis, long lastMillis, long slots, Outcome outcome, String reason) {
    /** The states that a slot may have without anybody having claimed it. */
    public enum Outcome {
        SKIPPED,
        MISSED
    }
}
