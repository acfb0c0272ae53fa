package io.twinbell.node.calendar;

import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Stretches;
import java.time.LocalDate;

/** Gathers the times of a file's events, and counts how often they repeat. */
final class HolidayTimes {
    /** A daily event from 1970 to 2199 has 84,000 occurrences. */
    static final int MAX_OCCURRENCES = 100_000;

    private static final long FIRST_DAY =
            LocalDate.of(CalendarReader.FIRST_YEAR, 1, 1).toEpochDay() * BusinessCalendar.DAY;
    private static final long LAST_DAY =
            LocalDate.of(CalendarReader.LAST_YEAR + 1, 1, 1).toEpochDay() * BusinessCalendar.DAY;

    private final Stretches.Gathering days = new Stretches.Gathering();
    private final Stretches.Gathering spans = new Stretches.Gathering();
    private int occurrences;

    /** Whether one more occurrence may be counted. */
    boolean hasRoom() {
        return ++occurrences <= MAX_OCCURRENCES;
    }

    /** In seconds of local time. */
    void addDays(long start, long end) {
        days.add(Math.max(start, FIRST_DAY), Math.min(end, LAST_DAY));
    }

    /** In seconds since 1970 UTC. */
    void addSpan(long start, long end) {
        spans.add(Math.max(start, FIRST_DAY), Math.min(end, LAST_DAY - 1));
    }

    static boolean isOver(long start) {
        return start > LAST_DAY;
    }

    Stretches days() {
        return days.merged();
    }

    Stretches spans() {
        return spans.merged();
    }
}
