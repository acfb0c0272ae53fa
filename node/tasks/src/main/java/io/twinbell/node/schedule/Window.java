package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.Schedule;

/**
 * The time range in which a schedule may fire, in epoch milliseconds. Both ends are inclusive: a fire time equal to
 * the end still fires.
 *
 * @param startMillis the task's start, or its creation if none was given; intervals count from here
 * @param endMillis the task's end, or {@link Schedule#NEVER} for no end
 */
public record Window(long startMillis, long endMillis) {
    /** The earliest supported instant: 1970-01-01T00:00:00.000Z. */
    public static final long EARLIEST = 0;

    /**
     * The last instant at which anything fires: 2199-12-31T23:59:59.999Z. The bound prevents silent overflow of sums.
     */
    public static final long LATEST = 7_258_118_399_999L;

    /** Returns a window without an end. */
    public static Window from(long startMillis) {
        return new Window(startMillis, Schedule.NEVER);
    }

    /** Returns the last instant at which a schedule in this window may fire. */
    long lastMillis() {
        return Math.min(endMillis, LATEST);
    }

    boolean isOpen() {
        return endMillis == Schedule.NEVER;
    }
}
