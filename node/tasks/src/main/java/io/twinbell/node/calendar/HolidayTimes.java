package io.twinbell.node.calendar;

import io.twinbell.node.calendar.ical.ContentLine;
import io.twinbell.node.calendar.ical.ExpansionBudget;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.TimeRanges;
import java.time.LocalDate;

/** Collects the times of a file's events, and bounds the number of occurrences. */
final class HolidayTimes {
    /** A daily event from 1970 to 2199 has 84,000 occurrences. */
    static final int MAX_OCCURRENCES = 100_000;

    private static final long FIRST_DAY =
            LocalDate.of(CalendarReader.FIRST_YEAR, 1, 1).toEpochDay() * BusinessCalendar.DAY;
    static final long LAST_DAY =
            LocalDate.of(CalendarReader.LAST_YEAR + 1, 1, 1).toEpochDay() * BusinessCalendar.DAY;

    private final TimeRanges.Collector days = new TimeRanges.Collector();
    private final TimeRanges.Collector spans = new TimeRanges.Collector();
    private final ExpansionBudget budget;
    private int occurrences;
    private ContentLine mostFrequent;
    private int most;
    private ContentLine current;
    private int ofCurrent;

    HolidayTimes(ExpansionBudget budget) {
        this.budget = budget;
    }

    ExpansionBudget budget() {
        return budget;
    }

    /** @throws InvalidJsonException at the first occurrence beyond the limit */
    void count(ContentLine cause) {
        if (++occurrences > MAX_OCCURRENCES) {
            throw cause.refusal("the events repeat more than " + MAX_OCCURRENCES
                    + " times up to 2199: add an UNTIL, or use weekly hours in JSON");
        }
        if (cause != current) {
            current = cause;
            ofCurrent = 0;
        }
        if (++ofCurrent > most) {
            most = ofCurrent;
            mostFrequent = cause;
        }
    }

    /** Returns the property with the most occurrences; null if there are none. */
    ContentLine mostFrequent() {
        return mostFrequent;
    }

    /** Adds days, in seconds of local time. */
    void addDays(long start, long end) {
        days.add(Math.max(start, FIRST_DAY), Math.min(end, LAST_DAY));
    }

    /** Adds a span, in seconds since 1970 UTC. */
    void addSpan(long start, long end) {
        spans.add(Math.max(start, FIRST_DAY), Math.min(end, LAST_DAY - 1));
    }

    static boolean isOver(long start) {
        return start >= LAST_DAY;
    }

    /** Whether an event that ends at this wall-clock time is before the first supported day. */
    static boolean isEarly(long end) {
        return end <= FIRST_DAY;
    }

    TimeRanges days() {
        return days.merged();
    }

    TimeRanges spans() {
        return spans.merged();
    }
}
