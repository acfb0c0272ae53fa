package io.twinbell.node.calendar;

import io.twinbell.node.calendar.ical.ContentLine;
import io.twinbell.node.calendar.ical.ExpansionBudget;
import io.twinbell.node.calendar.ical.Recurrence;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Stretches;
import java.time.LocalDate;

/** Gathers the times of a file's events, and bounds how often they repeat. */
final class HolidayTimes {
    /** A daily event from 1970 to 2199 has 84,000 occurrences. */
    static final int MAX_OCCURRENCES = 100_000;

    private static final long FIRST_DAY =
            LocalDate.of(CalendarReader.FIRST_YEAR, 1, 1).toEpochDay() * BusinessCalendar.DAY;
    private static final long LAST_DAY =
            LocalDate.of(CalendarReader.LAST_YEAR + 1, 1, 1).toEpochDay() * BusinessCalendar.DAY;

    private final Stretches.Gathering days = new Stretches.Gathering();
    private final Stretches.Gathering spans = new Stretches.Gathering();
    private final Recurrence.Window window;
    private int occurrences;
    private ContentLine mostFrequent;
    private int most;
    private ContentLine current;
    private int ofCurrent;

    HolidayTimes(ExpansionBudget budget) {
        window = new Recurrence.Window(LAST_DAY - 1, budget);
    }

    Recurrence.Window window() {
        return window;
    }

    /** @throws InvalidJsonException if it is one occurrence too many */
    void count(ContentLine cause) {
        if (++occurrences > MAX_OCCURRENCES) {
            throw cause.refusal("the events repeat more than " + MAX_OCCURRENCES
                    + " times up to 2199: give an UNTIL, or weekly hours in JSON");
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

    /** The property that has caused most occurrences; null if there are none. */
    ContentLine mostFrequent() {
        return mostFrequent;
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
        return start >= LAST_DAY;
    }

    /** Whether what ends then on some wall clock lies before all calendars. */
    static boolean isEarly(long end) {
        return end <= FIRST_DAY;
    }

    Stretches days() {
        return days.merged();
    }

    Stretches spans() {
        return spans.merged();
    }
}
