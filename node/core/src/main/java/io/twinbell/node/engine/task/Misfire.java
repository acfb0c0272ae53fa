package io.twinbell.node.engine.task;

import java.time.Duration;

/**
 * What happens to a task's overdue slots if the oldest is later than the threshold.
 *
 * @param threshold zero or more
 * @param max the maximum number of slots that FIRE_ALL runs
 * @param order which of the slots FIRE_ALL runs if there are more
 */
public record Misfire(Policy policy, Duration threshold, int max, Order order) {
    /** Which overdue slots run; the others are recorded as one MISSED row. */
    public enum Policy {
        /** Runs the newest slot. */
        FIRE_ONCE,
        /** Runs none. */
        SKIP,
        /** Runs up to {@code max} slots, each after the end of the previous one. */
        FIRE_ALL
    }

    /** Which slots run if more than {@code max} are overdue. They always run in the order of their fire times. */
    public enum Order {
        NEWEST,
        OLDEST
    }
}
