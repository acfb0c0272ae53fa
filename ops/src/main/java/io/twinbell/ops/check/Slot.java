package io.twinbell.ops.check;

import java.time.Instant;
import java.util.Comparator;

/** One planned run of a task. */
public record Slot(long taskId, long fireMillis) implements Comparable<Slot> {
    private static final Comparator<Slot> BY_TIME =
            Comparator.comparingLong(Slot::fireMillis).thenComparingLong(Slot::taskId);

    @Override
    public int compareTo(Slot other) {
        return BY_TIME.compare(this, other);
    }

    @Override
    public String toString() {
        return "task " + taskId + " at " + Instant.ofEpochMilli(fireMillis);
    }
}
