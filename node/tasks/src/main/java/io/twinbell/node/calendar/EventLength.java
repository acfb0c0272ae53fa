package io.twinbell.node.calendar;

/**
 * The length of a calendar event.
 *
 * @param days on the wall clock
 * @param seconds exact seconds after these days
 */
record EventLength(long days, long seconds) {
    private static final long DAY = 24L * 3600;

    static EventLength of(long days, long seconds) {
        return new EventLength(days, seconds);
    }

    boolean isPositive() {
        return days * DAY + seconds > 0;
    }

    /** Returns an upper bound in seconds: one day more, because no clock change is longer. */
    long longest() {
        return (days + 1) * DAY + seconds;
    }
}
