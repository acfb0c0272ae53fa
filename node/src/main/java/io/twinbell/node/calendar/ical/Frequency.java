package io.twinbell.node.calendar.ical;

/** How long the periods of a rule are. */
enum Frequency {
    SECONDLY(1),
    MINUTELY(60),
    HOURLY(3600),
    DAILY(24 * 3600),
    WEEKLY(7 * 24 * 3600),
    MONTHLY(0),
    YEARLY(0);

    private final int seconds;

    Frequency(int seconds) {
        this.seconds = seconds;
    }

    /** 0 if it depends on the calendar. */
    int seconds() {
        return seconds;
    }

    boolean isShorterThanADay() {
        return compareTo(DAILY) < 0;
    }
}
