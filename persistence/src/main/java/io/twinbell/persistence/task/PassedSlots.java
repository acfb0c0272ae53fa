package io.twinbell.persistence.task;

/**
 * Due slots that an edit, a pause or a removal skipped before they were claimed. The master enters them in the ledger
 * as one row.
 *
 * @param firstMillis fire time of the oldest slot, in milliseconds since 1970 UTC
 * @param secondMillis fire time of the second slot, where the row begins if the first has a row already; the first
 *     itself if there is only one
 * @param lastMillis fire time of the newest slot
 */
public record PassedSlots(
        long firstMillis, long secondMillis, long lastMillis, long slots, Outcome outcome, String reason) {
    /** The states that a slot may have without having been claimed. */
    public enum Outcome {
        SKIPPED,
        MISSED
    }
}
