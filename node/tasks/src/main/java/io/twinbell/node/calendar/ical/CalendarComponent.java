package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.text.SafeQuote;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A component of an iCalendar file: the calendar, an event or a time zone. It keeps only the properties that determine
 * times.
 */
public final class CalendarComponent {
    private static final int MAX_DEPTH = 10;
    private static final int MAX_COMPONENTS = 20_000;
    private static final int MAX_EVENTS = 5_000;
    private static final int MAX_PROPERTIES = 1_000;
    private static final String CALENDAR = "VCALENDAR";
    private static final String EVENT = "VEVENT";
    /** Ignoring these would lose times that are not events. To-dos and journals occupy no time and are ignored. */
    private static final Set<String> REFUSED = Set.of("VFREEBUSY", "VAVAILABILITY");

    private static final Map<String, Set<String>> KEPT = Map.of(
            CALENDAR,
            Set.of("VERSION", "CALSCALE", "METHOD", "X-WR-TIMEZONE"),
            EVENT,
            Set.of(
                    "UID",
                    "DTSTART",
                    "DTEND",
                    "DURATION",
                    "RRULE",
                    "RDATE",
                    "EXDATE",
                    "EXRULE",
                    "RECURRENCE-ID",
                    "STATUS",
                    "SEQUENCE"),
            "VTIMEZONE",
            Set.of("TZID", "X-LIC-LOCATION"),
            "STANDARD",
            Set.of("DTSTART", "RRULE", "RDATE", "TZOFFSETFROM", "TZOFFSETTO"),
            "DAYLIGHT",
            Set.of("DTSTART", "RRULE", "RDATE", "TZOFFSETFROM", "TZOFFSETTO"));
    private static final Map<String, String> PARENTS =
            Map.of(EVENT, CALENDAR, "VTIMEZONE", CALENDAR, "STANDARD", "VTIMEZONE", "DAYLIGHT", "VTIMEZONE");

    private final String name;
    private final int line;
    private final Map<String, List<ContentLine>> properties = new HashMap<>();
    private final List<CalendarComponent> children = new ArrayList<>();
    private int size;

    private CalendarComponent(String name, int line) {
        this.name = name;
        this.line = line;
    }

    /**
     * Reads the calendar of a file.
     *
     * @throws InvalidJsonException if the file contains none, or more than one; the message names the line
     */
    public static CalendarComponent read(byte[] file) {
        return new Reader(file).read();
    }

    public String name() {
        return name;
    }

    /** Returns the line of its BEGIN, counted from 1. */
    public int line() {
        return line;
    }

    public List<CalendarComponent> children() {
        return children;
    }

    /** Returns all properties of that name, in the order of the file. */
    public List<ContentLine> all(String property) {
        return properties.getOrDefault(property, List.of());
    }

    /**
     * Returns the property of that name, or null.
     *
     * @throws InvalidJsonException if there are several
     */
    public ContentLine one(String property) {
        List<ContentLine> found = all(property);
        if (found.size() > 1) {
            throw found.get(1)
                    .refusal("may occur once, but also occurs on line "
                            + found.get(0).number());
        }
        return found.isEmpty() ? null : found.get(0);
    }

    /** Creates an error for this component. */
    public InvalidJsonException refusal(String detail) {
        return ContentLine.refusal(line, detail);
    }

    private void add(ContentLine property) {
        if (KEPT.getOrDefault(name, Set.of()).contains(property.name())) {
            if (++size > MAX_PROPERTIES) {
                throw property.refusal("the " + name + " of line " + line + " has more than " + MAX_PROPERTIES
                        + " properties that define its times");
            }
            properties
                    .computeIfAbsent(property.name(), key -> new ArrayList<>(1))
                    .add(property);
        }
    }

    private static final class Reader {
        private final ContentLines lines;
        private final Deque<CalendarComponent> open = new ArrayDeque<>();
        private int components;
        private int events;

        Reader(byte[] file) {
            lines = new ContentLines(file);
        }

        CalendarComponent read() {
            CalendarComponent calendar = first();
            for (String text = lines.next(); text != null; text = lines.next()) {
                if (open.isEmpty()) {
                    throw refusal("text follows END:VCALENDAR");
                }
                take(ContentLine.of(lines.number(), text));
            }
            if (!open.isEmpty()) {
                throw refusal("END:" + open.peek().name + " is missing");
            }
            return calendar;
        }

        private CalendarComponent first() {
            String text = lines.next();
            if (text == null) {
                throw refusal("the file has no VCALENDAR");
            }
            if (!text.strip().equalsIgnoreCase("BEGIN:VCALENDAR")) {
                throw refusal("must be BEGIN:VCALENDAR");
            }
            CalendarComponent calendar = new CalendarComponent(CALENDAR, lines.number());
            open.push(calendar);
            return calendar;
        }

        private void take(ContentLine property) {
            String value = property.value().strip().toUpperCase(Locale.ROOT);
            if (property.name().equals("BEGIN")) {
                begin(value);
            } else if (!property.name().equals("END")) {
                open.peek().add(property);
            } else if (!open.pop().name.equals(value)) {
                throw refusal(SafeQuote.of("END:" + value) + " has no matching BEGIN");
            }
        }

        private void begin(String name) {
            CalendarComponent parent = open.peek();
            if (name.equals(EVENT) && ++events > MAX_EVENTS) {
                throw refusal("more than " + MAX_EVENTS + " events");
            }
            if (++components > MAX_COMPONENTS) {
                throw refusal("more than " + MAX_COMPONENTS + " components");
            }
            if (open.size() == MAX_DEPTH) {
                throw refusal("components have more than " + MAX_DEPTH + " levels of nesting");
            }
            if (REFUSED.contains(name)) {
                throw refusal(name + " is not supported: only events are read");
            }
            if (!PARENTS.getOrDefault(name, parent.name).equals(parent.name)) {
                throw refusal(name + " must be inside " + PARENTS.get(name) + ", but is inside " + parent.name);
            }
            if (name.equals(CALENDAR)) {
                throw refusal("a VCALENDAR must not be inside another one");
            }
            CalendarComponent component = new CalendarComponent(name, lines.number());
            if (PARENTS.containsKey(name)) {
                parent.children.add(component);
            }
            open.push(component);
        }

        private InvalidJsonException refusal(String detail) {
            return ContentLine.refusal(lines.number(), detail);
        }
    }
}
