package io.twinbell.node.schedule.recurrence;

/** The FREQ of a recurrence rule, which gives the length of its periods. */
public enum Frequency {
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

    /** Returns 0 if the length depends on the calendar. */
    public int seconds() {
        return seconds;
    }

    public boolean isShorterThanADay() {
        return compareTo(DAILY) < 0;
    }
}
