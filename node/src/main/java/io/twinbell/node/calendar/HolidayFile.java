package io.twinbell.node.calendar;

import biweekly.ICalendar;
import biweekly.component.VEvent;
import biweekly.io.ParseWarning;
import biweekly.io.TimezoneAssignment;
import biweekly.io.text.ICalReader;
import biweekly.property.ICalProperty;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.ScheduleException;
import io.twinbell.node.schedule.Stretches;
import io.twinbell.node.schedule.ZoneNames;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;

/**
 * Reads an iCalendar file (RFC 5545) and writes down the times of its events as a calendar: whole days as dates and
 * ranges, other events as spans. What repeats is expanded at once, from 1970 to 2199.
 */
public final class HolidayFile {
    private static final Set<String> TIMES =
            Set.of("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID");

    /** That the file does not define a zone that it names, or not well: its definitions are not used. */
    private static final Set<Integer> ABOUT_ZONES = Set.of(37, 38, 39, 43);

    private final HolidayLines lines;
    private final ICalendar calendar;
    private final ZoneId zone;
    private final String zoneName;

    private HolidayFile(HolidayLines lines, ICalendar calendar, String zoneName) {
        this.lines = lines;
        this.calendar = calendar;
        this.zoneName = zoneName;
        zone = ZoneNames.find("", zoneName);
    }

    /**
     * The calendar that a file means, still to be checked like any other.
     *
     * @param zoneName where its whole days begin and end, and where times are meant that name no zone; null for the
     *     file's own {@code X-WR-TIMEZONE}, or UTC
     * @throws InvalidJsonException if it can't be read; the message names the line
     * @throws ScheduleException if there is no zone of that name
     */
    public static ObjectNode read(byte[] file, String zoneName) {
        if (zoneName != null) {
            ZoneNames.find("", zoneName);
        }
        HolidayLines lines = HolidayLines.of(file);
        ICalendar calendar = parse(lines);
        try {
            return new HolidayFile(lines, calendar, zoneName == null ? ownZone(calendar) : zoneName).json();
        } catch (ScheduleException e) {
            throw new InvalidJsonException("", "X-WR-TIMEZONE: " + e.getMessage());
        }
    }

    private static ICalendar parse(HolidayLines lines) {
        try (ICalReader reader = new ICalReader(lines.text())) {
            // What names no zone is read as it is written, whatever the zone of this process.
            reader.setDefaultTimezone(TimeZone.getTimeZone("UTC"));
            ICalendar calendar = reader.readNext();
            for (ParseWarning warning : reader.getWarnings()) {
                if (isSerious(warning)) {
                    throw refusal(warning);
                }
            }
            if (calendar == null) {
                throw new InvalidJsonException("", "line 1: there is no VCALENDAR here");
            }
            return calendar;
        } catch (IOException e) {
            throw new InvalidJsonException("", "not an iCalendar file: " + e.getMessage());
        }
    }

    private static boolean isSerious(ParseWarning warning) {
        return warning.getPropertyName() == null
                ? !ABOUT_ZONES.contains(warning.getCode())
                : TIMES.contains(warning.getPropertyName());
    }

    private static InvalidJsonException refusal(ParseWarning warning) {
        return HolidayLines.refusal(
                warning.getLineNumber() == null ? 1 : warning.getLineNumber(),
                (warning.getPropertyName() == null ? "" : warning.getPropertyName() + ": ") + warning.getMessage());
    }

    private static String ownZone(ICalendar calendar) {
        return calendar.getExperimentalProperty("X-WR-TIMEZONE") == null
                ? "UTC"
                : calendar.getExperimentalProperty("X-WR-TIMEZONE").getValue();
    }

    private ObjectNode json() {
        List<HolidayEvent> events = events();
        Map<String, Set<Long>> moved = new HashMap<>();
        events.forEach(event -> event.replaced()
                .ifPresent(start -> moved.computeIfAbsent(event.uid(), uid -> new HashSet<>())
                        .add(start)));
        HolidayTimes times = new HolidayTimes();
        events.forEach(event -> event.addTo(times, moved.getOrDefault(event.uid(), Set.of())));
        return written(times.days(), times.spans());
    }

    private List<HolidayEvent> events() {
        List<HolidayEvent> events = new ArrayList<>();
        List<VEvent> found = calendar.getEvents();
        for (int i = 0; i < found.size(); i++) {
            VEvent event = found.get(i);
            boolean isCancelled = event.getStatus() != null && event.getStatus().isCancelled();
            if (!isCancelled || event.getRecurrenceId() != null) {
                events.add(new HolidayEvent(event, lines.eventLine(i), this::zoneOf, isCancelled));
            }
        }
        return events;
    }

    /** Only zones that this runtime knows: what a file says about a zone's rules is not evaluated. */
    private ZoneId zoneOf(ICalProperty property) {
        TimezoneAssignment assigned = calendar.getTimezoneInfo().getTimezone(property);
        String named = assigned == null ? property.getParameter("TZID") : id(assigned);
        if (named == null) {
            return zone;
        }
        return ZoneNames.find("", named.startsWith("/") ? named.substring(1) : named);
    }

    private static String id(TimezoneAssignment assigned) {
        return assigned.getComponent() == null
                ? assigned.getTimeZone().getID()
                : assigned.getComponent().getTimezoneId().getValue();
    }

    private ObjectNode written(Stretches days, Stretches spans) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("zone", zoneName);
        ArrayNode dates = json.putArray("dates");
        ArrayNode ranges = json.putArray("ranges");
        for (int i = 0; i < days.size(); i++) {
            LocalDate from = LocalDate.ofEpochDay(days.start(i) / BusinessCalendar.DAY);
            LocalDate to = LocalDate.ofEpochDay(days.end(i) / BusinessCalendar.DAY - 1);
            if (from.equals(to)) {
                dates.add(from.toString());
            } else {
                ranges.addObject().put("from", from.toString()).put("to", to.toString());
            }
        }
        ArrayNode written = json.putArray("spans");
        for (int i = 0; i < spans.size(); i++) {
            written.addObject()
                    .put("from", Instants.text(spans.start(i) * 1000))
                    .put("to", Instants.text(spans.end(i) * 1000));
        }
        return json;
    }
}
