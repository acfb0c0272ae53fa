package io.twinbell.node.calendar;

import biweekly.component.VEvent;
import biweekly.property.ExceptionDates;
import biweekly.property.ExceptionRule;
import biweekly.property.ICalProperty;
import biweekly.property.RecurrenceDates;
import biweekly.property.RecurrenceRule;
import biweekly.util.DateTimeComponents;
import biweekly.util.Frequency;
import biweekly.util.ICalDate;
import biweekly.util.Recurrence;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.ScheduleException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * One event of an iCalendar file. What repeats does so on the wall clock of the event's zone; the library expands it as if
 * that were UTC, and what it finds is put on the real clock here.
 */
final class HolidayEvent {
    private static final TimeZone WALL = TimeZone.getTimeZone("UTC");
    private static final Set<Frequency> FREQUENCIES =
            EnumSet.of(Frequency.DAILY, Frequency.WEEKLY, Frequency.MONTHLY, Frequency.YEARLY);

    private final VEvent event;
    private final int line;
    private final Function<ICalProperty, ZoneId> zones;
    private final boolean isCancelled;

    HolidayEvent(VEvent event, int line, Function<ICalProperty, ZoneId> zones, boolean isCancelled) {
        this.event = event;
        this.line = line;
        this.zones = zones;
        this.isCancelled = isCancelled;
    }

    String uid() {
        return event.getUid() == null ? "" : event.getUid().getValue();
    }

    /** If this event stands in for one occurrence of another: when that would have begun. */
    Optional<Long> replaced() {
        if (event.getRecurrenceId() == null) {
            return Optional.empty();
        }
        if (event.getRecurrenceId().getRange() != null) {
            throw refusal("a RECURRENCE-ID with RANGE is not supported");
        }
        return Optional.of(key(event.getRecurrenceId().getValue(), event.getRecurrenceId()));
    }

    /** @param moved when those occurrences would have begun that other events stand in for */
    void addTo(HolidayTimes times, Set<Long> moved) {
        if (isCancelled) {
            return;
        }
        if (event.getDateStart() == null) {
            throw refusal("the event has no DTSTART");
        }
        if (!event.getProperties(ExceptionRule.class).isEmpty()) {
            throw refusal("EXRULE is not supported: use EXDATE");
        }
        boolean isAllDay = !event.getDateStart().getValue().hasTime();
        ZoneId zone = isAllDay ? ZoneOffset.UTC : zone(event.getDateStart().getValue(), event.getDateStart());
        Length length = length(isAllDay, zone);
        Set<Long> without = exceptions();
        if (event.getRecurrenceId() == null) {
            without.addAll(moved);
        }
        for (LocalDateTime start : starts(zone, times)) {
            long begins = seconds(start, zone);
            if (without.contains(begins)) {
                continue;
            }
            if (isAllDay) {
                times.addDays(begins, begins + length.seconds());
            } else {
                times.addSpan(
                        begins,
                        length.isNominal()
                                ? seconds(start.plusSeconds(length.seconds()), zone)
                                : begins + length.seconds());
            }
        }
    }

    /** @param isNominal whether it is counted on the wall clock, so that a meeting until noon ends at noon */
    private record Length(long seconds, boolean isNominal) {}

    private Length length(boolean isAllDay, ZoneId zone) {
        Length length = isAllDay ? new Length(24 * 3600, true) : new Length(0, true);
        if (event.getDateEnd() != null) {
            ICalDate end = event.getDateEnd().getValue();
            if (end.hasTime() == isAllDay) {
                throw refusal("DTSTART and DTEND must both be dates, or both have a time");
            }
            ZoneId endZone = isAllDay ? zone : zone(end, event.getDateEnd());
            LocalDateTime start = local(event.getDateStart().getValue());
            length = endZone.equals(zone)
                    ? new Length(start.until(local(end), ChronoUnit.SECONDS), true)
                    : new Length(seconds(local(end), endZone) - seconds(start, zone), false);
        } else if (event.getDuration() != null) {
            length = new Length(event.getDuration().getValue().toMillis() / 1000, isAllDay);
        }
        if (length.seconds() <= 0 || isAllDay && length.seconds() % (24 * 3600) != 0) {
            throw refusal("the event must end after its start" + (isAllDay ? ", whole days later" : ""));
        }
        return length;
    }

    private Set<LocalDateTime> starts(ZoneId zone, HolidayTimes times) {
        Set<LocalDateTime> starts = new TreeSet<>();
        starts.add(local(event.getDateStart().getValue()));
        count(times);
        for (RecurrenceRule rule : event.getProperties(RecurrenceRule.class)) {
            repeat(rule.getValue(), zone, starts, times);
        }
        for (RecurrenceDates dates : event.getProperties(RecurrenceDates.class)) {
            if (!dates.getPeriods().isEmpty()) {
                throw refusal("an RDATE with periods is not supported");
            }
            for (ICalDate date : dates.getDates()) {
                count(times);
                starts.add(onTheWall(key(date, dates), zone));
            }
        }
        return starts;
    }

    private void repeat(Recurrence rule, ZoneId zone, Set<LocalDateTime> starts, HolidayTimes times) {
        if (!FREQUENCIES.contains(rule.getFrequency())) {
            throw refusal("an event may repeat daily, weekly, monthly or yearly");
        }
        LocalDateTime first = local(event.getDateStart().getValue());
        Recurrence onTheWall = rule.getUntil() == null
                ? rule
                : new Recurrence.Builder(rule)
                        .until(date(until(rule.getUntil(), zone)), true)
                        .build();
        Iterator<Date> occurrences = onTheWall.getDateIterator(date(first), WALL);
        while (occurrences.hasNext()) {
            LocalDateTime start = LocalDateTime.ofEpochSecond(occurrences.next().getTime() / 1000, 0, ZoneOffset.UTC);
            if (HolidayTimes.isOver(start.toEpochSecond(ZoneOffset.UTC))) {
                return;
            }
            count(times);
            starts.add(start);
        }
    }

    private void count(HolidayTimes times) {
        if (!times.hasRoom()) {
            throw refusal("the events repeat more than " + HolidayTimes.MAX_OCCURRENCES
                    + " times up to 2199: give an UNTIL, or weekly hours in JSON");
        }
    }

    /** The last moment at which an occurrence may begin, on the wall clock; a mere date means all of that day. */
    private LocalDateTime until(ICalDate until, ZoneId zone) {
        LocalDateTime written = local(until);
        if (!until.hasTime()) {
            return written.plusDays(1).minusSeconds(1);
        }
        DateTimeComponents raw = until.getRawComponents();
        return raw != null && raw.isUtc() ? onTheWall(written.toEpochSecond(ZoneOffset.UTC), zone) : written;
    }

    private Set<Long> exceptions() {
        Set<Long> exceptions = new HashSet<>();
        for (ExceptionDates dates : event.getProperties(ExceptionDates.class)) {
            dates.getValues().forEach(date -> exceptions.add(key(date, dates)));
        }
        return exceptions;
    }

    /** When an occurrence begins, in seconds since 1970: UTC, or as on the wall for whole days. */
    private long key(ICalDate date, ICalProperty property) {
        return date.hasTime()
                ? seconds(local(date), zone(date, property))
                : local(date).toEpochSecond(ZoneOffset.UTC);
    }

    private ZoneId zone(ICalDate date, ICalProperty property) {
        DateTimeComponents raw = date.getRawComponents();
        try {
            return raw != null && raw.isUtc() ? ZoneOffset.UTC : zones.apply(property);
        } catch (ScheduleException e) {
            throw refusal(e.getMessage());
        }
    }

    /** As it is written, not as the library makes it a date: that takes the 45th of a month too. */
    private LocalDateTime local(ICalDate date) {
        DateTimeComponents raw = date.getRawComponents();
        try {
            return raw == null
                    ? LocalDateTime.ofEpochSecond(date.getTime() / 1000, 0, ZoneOffset.UTC)
                    : LocalDateTime.of(
                            raw.getYear(),
                            raw.getMonth(),
                            raw.getDate(),
                            raw.getHour(),
                            raw.getMinute(),
                            Math.min(59, raw.getSecond()));
        } catch (DateTimeException e) {
            throw refusal(raw + " is no date: " + e.getMessage());
        }
    }

    private static long seconds(LocalDateTime local, ZoneId zone) {
        return local.atZone(zone).toEpochSecond();
    }

    private static LocalDateTime onTheWall(long second, ZoneId zone) {
        return LocalDateTime.ofInstant(Instant.ofEpochSecond(second), zone);
    }

    private static Date date(LocalDateTime wall) {
        return new Date(wall.toEpochSecond(ZoneOffset.UTC) * 1000);
    }

    private InvalidJsonException refusal(String detail) {
        return HolidayLines.refusal(line, detail);
    }
}
