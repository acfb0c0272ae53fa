package io.twinbell.node.calendar;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.calendar.ical.CalendarComponent;
import io.twinbell.node.calendar.ical.ContentLine;
import io.twinbell.node.calendar.ical.ContentLines;
import io.twinbell.node.calendar.ical.ExpansionBudget;
import io.twinbell.node.calendar.ical.TimeZones;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.TimeRanges;
import io.twinbell.node.schedule.zone.ZoneNames;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Converts an iCalendar file (RFC 5545) into the JSON of a calendar: all-day events become dates and ranges, other
 * events become spans. Recurring events are expanded at once, from 1970 to 2199. TRANSP is ignored, because most files
 * of public holidays say TRANSPARENT.
 */
public final class HolidayFile {
    /** Files with other methods cancel or answer events, and are not calendars. */
    private static final Set<String> METHODS = Set.of("PUBLISH", "REQUEST", "ADD");

    /** Ignoring these would lose times that are not events. To-dos and journals occupy no time and are ignored. */
    private static final Set<String> REFUSED = Set.of("VFREEBUSY", "VAVAILABILITY");

    private static final int MAX_SEQUENCE_LENGTH = 18;

    private final CalendarComponent calendar;
    private final ZoneId zone;
    private final String zoneName;
    private final TimeZones zones;
    private final HolidayTimes times;

    private HolidayFile(CalendarComponent calendar, String zoneName) {
        this.calendar = calendar;
        this.zoneName = zoneName;
        zone = ZoneNames.find("", zoneName);
        ExpansionBudget budget = new ExpansionBudget();
        zones = new TimeZones(calendar, budget);
        times = new HolidayTimes(budget);
    }

    /**
     * Reads a file into a calendar, which is validated later like any other.
     *
     * @param zoneName the zone of all-day events and of times without a zone; null for the file's own
     *     {@code X-WR-TIMEZONE}, or UTC
     * @throws InvalidJsonException if it cannot be read; the message names the line
     * @throws ScheduleException if the zone is unknown
     */
    public static ObjectNode read(byte[] file, String zoneName) {
        if (zoneName != null) {
            ZoneNames.find("", zoneName);
        }
        CalendarComponent calendar = CalendarComponent.read(file);
        check(calendar);
        if (zoneName != null) {
            return new HolidayFile(calendar, zoneName).json();
        }
        ContentLine own = calendar.one("X-WR-TIMEZONE");
        try {
            return new HolidayFile(calendar, own == null ? "UTC" : own.value().strip()).json();
        } catch (ScheduleException e) {
            throw own == null ? e : own.refusal(e.getMessage());
        }
    }

    /** Returns the text of a file, for storage; {@link #read} has accepted it. */
    public static String text(byte[] file) {
        return ContentLines.text(file);
    }

    private static void check(CalendarComponent calendar) {
        refuseUnknown(calendar.one("VERSION"), Set.of("2.0"));
        refuseUnknown(calendar.one("CALSCALE"), Set.of("GREGORIAN"));
        refuseUnknown(calendar.one("METHOD"), METHODS);
        for (CalendarComponent child : calendar.children()) {
            if (REFUSED.contains(child.name())) {
                throw child.refusal(child.name() + " is not supported: only events are read");
            }
        }
    }

    private static void refuseUnknown(ContentLine property, Set<String> known) {
        if (property != null && !known.contains(property.value().strip().toUpperCase(Locale.ROOT))) {
            throw property.refusal("only " + String.join(", ", new TreeSet<>(known)) + " can be read");
        }
    }

    private ObjectNode json() {
        for (List<CalendarComponent> events : byUid().values()) {
            add(events);
        }
        return written(times.days(), times.spans());
    }

    /** Groups the events by UID; an event without a UID forms its own group. */
    private Map<String, List<CalendarComponent>> byUid() {
        Map<String, List<CalendarComponent>> found = new LinkedHashMap<>();
        for (CalendarComponent event : calendar.children()) {
            if (event.name().equals("VEVENT")) {
                ContentLine uid = event.one("UID");
                ContentLine id = event.one(OccurrenceOverrides.ID);
                if (uid == null && id != null) {
                    throw id.refusal("the event has no UID, so it replaces no other event");
                }
                String key = uid == null
                        ? "line " + event.line()
                        : "UID " + uid.value().strip();
                found.computeIfAbsent(key, name -> new ArrayList<>(1)).add(event);
            }
        }
        return found;
    }

    private void add(List<CalendarComponent> events) {
        OccurrenceOverrides overrides = new OccurrenceOverrides(zones, times.budget());
        List<HolidayEvent> mains = new ArrayList<>();
        boolean hasMain = false;
        for (CalendarComponent event : latest(events)) {
            HolidayEvent read = isCancelled(event) ? null : new HolidayEvent(event, zones, zone.getRules());
            if (event.one(OccurrenceOverrides.ID) != null) {
                overrides.add(event, read);
            } else {
                hasMain = true;
                if (read != null) {
                    mains.add(read);
                }
            }
        }
        if (!hasMain) {
            overrides.refuseFollowing();
        }
        overrides.addTo(times);
        mains.forEach(main -> main.addAll(times, overrides));
    }

    /** Returns the events with the highest SEQUENCE among those with the same RECURRENCE-ID. */
    private static List<CalendarComponent> latest(List<CalendarComponent> events) {
        if (events.size() == 1) {
            return events;
        }
        Map<String, List<CalendarComponent>> latest = new LinkedHashMap<>();
        for (CalendarComponent event : events) {
            ContentLine id = event.one(OccurrenceOverrides.ID);
            String key = id == null ? "" : id.value().strip() + id.parameter("TZID");
            List<CalendarComponent> same = latest.computeIfAbsent(key, name -> new ArrayList<>(1));
            long difference = same.isEmpty() ? 0 : sequence(event) - sequence(same.get(0));
            if (difference > 0) {
                same.clear();
            }
            if (difference >= 0) {
                same.add(event);
            }
        }
        return latest.values().stream().flatMap(List::stream).toList();
    }

    private static long sequence(CalendarComponent event) {
        ContentLine sequence = event.one("SEQUENCE");
        if (sequence == null) {
            return 0;
        }
        String text = sequence.value().strip();
        boolean isNumber = !text.isEmpty()
                && text.length() <= MAX_SEQUENCE_LENGTH
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber) {
            throw sequence.refusal("is not a number");
        }
        return Long.parseLong(text);
    }

    private static boolean isCancelled(CalendarComponent event) {
        ContentLine status = event.one("STATUS");
        return status != null && status.value().strip().equalsIgnoreCase("CANCELLED");
    }

    private ObjectNode written(TimeRanges days, TimeRanges spans) {
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
        refuseTooMany(dates, ranges, written);
        return json;
    }

    private void refuseTooMany(ArrayNode... lists) {
        for (ArrayNode list : lists) {
            if (list.size() > CalendarReader.MAX_ENTRIES) {
                throw times.mostFrequent()
                        .refusal("the events have " + list.size()
                                + " separate times, but a calendar holds at most " + CalendarReader.MAX_ENTRIES
                                + "; this event repeats most: add an UNTIL, or use weekly hours in JSON");
            }
        }
    }
}
