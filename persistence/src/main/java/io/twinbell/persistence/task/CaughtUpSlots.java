package io.twinbell.persistence.task;

import java.util.List;

/**
 * Slots whose fire times passed during a pause, and which run after it, one after the other. They are entered in the
 * ledger as PENDING, with the origin CAUGHT_UP.
 *
 * @param fireMillis their fire times, in milliseconds since 1970 UTC, oldest first
 * @param reason recorded at each of them; null if there are none
 */
public record CaughtUpSlots(List<Long> fireMillis, String reason) {
    public static final CaughtUpSlots NONE = new CaughtUpSlots(List.of(), null);
}
