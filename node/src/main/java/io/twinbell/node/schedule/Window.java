package io.twinbell.node.schedule;

/**
 * The span in which a schedule may fire, epoch milliseconds, both ends included: a fire time equal to the end still
 * happens, a later one never does.
 *
 * @param startMillis the task's start, or its creation if none was given; intervals are anchored here
 * @param endMillis the task's end, or {@link Schedule#NEVER} if it is open
 */
public record Window(long startMillis, long endMillis) {
    /** The first instant Twinbell reckons with: 1970-01-01T00:00:00.000Z. */
    public static final long EARLIEST = 0;

    /** The last instant at which anything fires: 2199-12-31T23:59:59.999Z. Beyond it sums could overflow unnoticed. */
    public static final long LATEST = 7_258_118_399_999L;

    /** A window that never closes. */
    public static Window from(long startMillis) {
        return new Window(startMillis, Schedule.NEVER);
    }

    /** The last instant at which a schedule in this window may fire. */
    long lastMillis() {
        return Math.min(endMillis, LATEST);
    }

    boolean isOpen() {
        return endMillis == Schedule.NEVER;
    }
}
