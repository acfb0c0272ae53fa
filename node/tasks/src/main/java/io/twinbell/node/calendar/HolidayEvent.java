package io.twinbell.node.calendar;

import io.twinbell.node.calendar.ical.CalendarComponent;
import io.twinbell.node.calendar.ical.ContentLine;
import io.twinbell.node.calendar.ical.DateTimeValue;
import io.twinbell.node.calendar.ical.EventLength;
import io.twinbell.node.calendar.ical.Recurrence;
import io.twinbell.node.calendar.ical.TimeZones;
import io.twinbell.node.calendar.ical.WallClock;
import io.twinbell.node.json.InvalidJsonException;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.Set;
import java.util.TreeSet;

/**
 * One event of an iCalendar file. It repeats on the wall clock of its zone; all-day events use the days of the
 * calendar's zone. All wall-clock times are in seconds since 1970, as if they were UTC.
 */
final class HolidayEvent {
    private static final long DAY = 24L * 3600;
    private static final Set<String> REPEATING = Set.of("RRULE", "RDATE", "EXDATE");

    private final CalendarComponent event;
    private final TimeZones zones;
    private final ZoneRules calendarZone;
    private final ContentLine startLine;
    private final DateTimeValue start;
    private final ZoneRules zone;
    private final EventLength length;

    /** @throws InvalidJsonException if the event has no valid time */
    HolidayEvent(CalendarComponent event, TimeZones zones, ZoneRules calendarZone) {
        this.event = event;
        this.zones = zones;
        this.calendarZone = calendarZone;
        startLine = event.one("DTSTART");
        if (startLine == null) {
            throw event.refusal("the event has no DTSTART");
        }
        if (!event.all("EXRULE").isEmpty()) {
            throw event.all("EXRULE").get(0).refusal("is not supported: use EXDATE");
        }
        start = DateTimeValue.of(startLine, zones);
        if (HolidayTimes.isOver(start.wall())) {
            throw startLine.refusal("must lie before 2200");
        }
        zone = start.isDate() || start.zone() == null ? calendarZone : start.zone();
        length = length();
    }

    boolean isAllDay() {
        return start.isDate();
    }

    ZoneRules zone() {
        return zone;
    }

    long startWall() {
        return start.wall();
    }

    private EventLength length() {
        ContentLine end = event.one("DTEND");
        ContentLine duration = event.one("DURATION");
        if (end != null && duration != null) {
            throw duration.refusal("can't be combined with DTEND, which is on line " + end.number());
        }
        EventLength found = new EventLength(0, 0);
        if (end != null) {
            found = untilEnd(DateTimeValue.of(end, zones), end);
        } else if (duration != null) {
            found = EventLength.of(duration.value(), duration);
        } else if (start.isDate()) {
            found = new EventLength(1, 0);
        }
        if (!found.isPositive() || start.isDate() && found.seconds() != 0) {
            String detail = "the event must end after its start" + (start.isDate() ? ", whole days later" : "");
            ContentLine cause = end == null ? duration : end;
            throw cause == null ? event.refusal(detail) : cause.refusal(detail);
        }
        return found;
    }

    /** RFC 5545, 3.8.5.3: if the first occurrence has a DTEND, all occurrences have exactly its length. */
    private EventLength untilEnd(DateTimeValue end, ContentLine line) {
        if (end.isDate() != start.isDate()) {
            throw line.refusal("DTSTART and DTEND must both be dates, or both have a time");
        }
        return start.isDate()
                ? new EventLength(Math.floorDiv(end.wall() - start.wall(), DAY), 0)
                : new EventLength(0, end.instant(zone) - start.instant(zone));
    }

    /** Refuses recurrence properties in an event that replaces occurrences of another. */
    void refuseRepeating() {
        for (String name : REPEATING) {
            if (!event.all(name).isEmpty()) {
                throw event.all(name).get(0).refusal("can't be combined with RECURRENCE-ID");
            }
        }
    }

    /** Adds the event once, as the replacement of an occurrence. */
    void addAlone(HolidayTimes times) {
        add(start.wall(), times);
    }

    /** Adds all occurrences except those that the overrides replace. */
    void addAll(HolidayTimes times, OccurrenceOverrides overrides) {
        Occurrences without = exceptions();
        for (long begin : starts(times, !overrides.hasFollowing())) {
            long instant = instant(begin);
            if (without.has(begin, instant) || overrides.replace(this, begin, instant)) {
                continue;
            }
            OccurrenceOverrides.LaterOccurrences laterOccurrences = overrides.following(this, begin, instant);
            if (laterOccurrences == null) {
                add(begin, times);
            } else {
                laterOccurrences.add(begin, instant, times);
            }
        }
        periods(times, without, overrides);
    }

    void add(long begin, HolidayTimes times) {
        add(begin, length, times);
    }

    private void add(long begin, EventLength size, HolidayTimes times) {
        if (isAllDay()) {
            times.addDays(begin, begin + size.days() * DAY);
        } else {
            times.addSpan(instant(begin), WallClock.toInstant(begin + size.days() * DAY, zone) + size.seconds());
        }
    }

    /** Returns the instant of a wall-clock time; for all-day events, the wall-clock time itself. */
    long instant(long wall) {
        return isAllDay() ? wall : WallClock.toInstant(wall, zone);
    }

    private Iterable<Long> starts(HolidayTimes times, boolean leavesOutEarly) {
        Set<Long> starts = new TreeSet<>();
        starts.add(start.wall());
        times.count(startLine);
        for (ContentLine rule : event.all("RRULE")) {
            Recurrence.expand(rule, start, zone, HolidayTimes.LAST_DAY - 1, times.budget(), wall -> {
                boolean isEarly = leavesOutEarly && HolidayTimes.isEarly(wall + length.longest());
                if (!isEarly && starts.add(wall)) {
                    times.count(rule);
                }
                return true;
            });
        }
        for (ContentLine dates : event.all("RDATE")) {
            for (String text : items(dates)) {
                if (text.indexOf('/') < 0) {
                    starts.add(further(DateTimeValue.of(text, dates, zones), dates));
                    times.count(dates);
                }
            }
        }
        return starts;
    }

    private long further(DateTimeValue date, ContentLine line) {
        if (isAllDay()) {
            return day(date, line) * DAY;
        }
        if (date.isDate()) {
            throw line.refusal("must have a time, like DTSTART");
        }
        return date.wallIn(zone);
    }

    /** Adds the periods of RDATE, which have lengths of their own. */
    private void periods(HolidayTimes times, Occurrences without, OccurrenceOverrides overrides) {
        for (ContentLine dates : event.all("RDATE")) {
            for (String text : items(dates)) {
                int slash = text.indexOf('/');
                if (slash >= 0) {
                    times.count(dates);
                    DateTimeValue from = DateTimeValue.of(text.substring(0, slash), dates, zones);
                    EventLength size = periodLength(from, text.substring(slash + 1), dates);
                    long begin = from.wallIn(zone);
                    long instant = instant(begin);
                    if (!without.has(begin, instant) && !overrides.replace(this, begin, instant)) {
                        add(begin, size, times);
                    }
                }
            }
        }
    }

    private EventLength periodLength(DateTimeValue begin, String to, ContentLine line) {
        if (isAllDay() || begin.isDate()) {
            throw line.refusal("periods can't be combined with whole days");
        }
        EventLength size;
        if (to.startsWith("P") || to.startsWith("+P")) {
            size = EventLength.of(to, line);
        } else {
            DateTimeValue end = DateTimeValue.of(to, line, zones);
            if (end.isDate()) {
                throw line.refusal("the end of a period must have a time");
            }
            size = new EventLength(0, end.instant(zone) - begin.instant(zone));
        }
        if (!size.isPositive()) {
            throw line.refusal("a period must end after its start");
        }
        return size;
    }

    private Occurrences exceptions() {
        Occurrences exceptions = new Occurrences();
        for (ContentLine line : event.all("EXDATE")) {
            for (String text : items(line)) {
                exceptions.add(occurrence(DateTimeValue.of(text, line, zones), line));
            }
        }
        return exceptions;
    }

    private static String[] items(ContentLine line) {
        String[] items = line.value().split(",", -1);
        for (int i = 0; i < items.length; i++) {
            items[i] = items[i].strip();
        }
        return items;
    }

    /**
     * Returns the occurrence of an EXDATE or a RECURRENCE-ID. A date means each occurrence that begins on that day.
     * For all-day events, a time means the day that contains it.
     */
    Occurrences.OccurrenceStart occurrence(DateTimeValue value, ContentLine line) {
        return isAllDay() || value.isDate()
                ? new Occurrences.OccurrenceStart(day(value, line), true)
                : new Occurrences.OccurrenceStart(value.instant(zone), false);
    }

    private long day(DateTimeValue value, ContentLine line) {
        long written = Math.floorDiv(value.wall(), DAY);
        boolean isUtc = !value.isDate() && value.zone() != null && value.zone().equals(ZoneOffset.UTC.getRules());
        if (!isUtc) {
            return written;
        }
        long wall = value.wallIn(calendarZone);
        long day = Math.floorDiv(wall, DAY);
        // Some programs write the date as midnight UTC. West of UTC that is the day before, so the meaning is
        // ambiguous.
        if (day != written && Math.floorMod(wall, DAY) != 0) {
            throw line.refusal("the event has whole days, but in the calendar's zone this time is on another day:"
                    + " use VALUE=DATE");
        }
        return day;
    }
}
