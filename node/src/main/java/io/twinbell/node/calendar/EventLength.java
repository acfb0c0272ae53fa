package io.twinbell.node.calendar;

/**
 * How long an event is.
 *
 * @param days on the wall clock
 * @param seconds exactly, after those days
 */
record EventLength(long days, long seconds) {
    private static final long DAY = 24L * 3600;

    static EventLength of(long days, long seconds) {
        return new EventLength(days, seconds);
    }

    boolean isPositive() {
        return days * DAY + seconds > 0;
    }

    /** Seconds, and a day more: no clock change is longer. */
    long longest() {
        return (days + 1) * DAY + seconds;
    }
}
