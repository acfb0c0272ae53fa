package io.twinbell.node.schedule.local;

/**
 * A set of local times, without a zone: seconds since 1970-01-01T00:00 on the wall clock, in the years 1970 to 2199.
 * Immutable; each search is bounded.
 */
public interface LocalPattern {
    int FIRST_YEAR = 1970;
    int LAST_YEAR = 2199;
    long NONE_AFTER = Long.MAX_VALUE;
    long NONE_BEFORE = Long.MIN_VALUE;
    int SECONDS_PER_DAY = 86_400;

    /** The first second after the last year. */
    long END = (long) CivilDate.epochDay(LAST_YEAR + 1, 1, 1) * SECONDS_PER_DAY;

    /** Returns the first match at or after a local time, or {@link #NONE_AFTER}. */
    long atOrAfter(long local);

    /** Returns the last match at or before a local time, or {@link #NONE_BEFORE}. */
    long atOrBefore(long local);
}
