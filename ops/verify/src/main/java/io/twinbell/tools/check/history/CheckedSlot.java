package io.twinbell.tools.check.history;

import java.time.Instant;
import java.util.Comparator;

/** A slot: one planned run of one task. */
public record CheckedSlot(long taskId, long fireMillis) implements Comparable<CheckedSlot> {
    private static final Comparator<CheckedSlot> BY_TIME =
            Comparator.comparingLong(CheckedSlot::fireMillis).thenComparingLong(CheckedSlot::taskId);

    @Override
    public int compareTo(CheckedSlot other) {
        return BY_TIME.compare(this, other);
    }

    @Override
    public String toString() {
        return "task " + taskId + " at " + Instant.ofEpochMilli(fireMillis);
    }
}
