package io.twinbell.node.task;

import java.time.Duration;

/**
 * What becomes of a task's overdue slots when the oldest of them is late by more than the threshold.
 *
 * @param threshold zero or more
 * @param max how many of them FIRE_ALL runs at most
 * @param order which ones those are
 */
public record Misfire(Policy policy, Duration threshold, int max, Order order) {
    /** How many of the overdue slots run; the others are one MISSED row. */
    public enum Policy {
        /** The newest. */
        FIRE_ONCE,
        /** None. */
        SKIP,
        /** Up to {@code max}, each when the one before has ended. */
        FIRE_ALL
    }

    /** Of more than {@code max} overdue slots, which ones run. They run in the order of their fire times all the same. */
    public enum Order {
        NEWEST,
        OLDEST
    }
}
