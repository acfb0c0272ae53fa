package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.text.SafeQuote;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A component of an iCalendar file: a calendar, an event, a time zone or anything between a BEGIN and its END. */
public final class CalendarComponent {
    private static final int MAX_DEPTH = 10;
    private static final int MAX_EVENTS = 5_000;
    private static final String CALENDAR = "VCALENDAR";
    private static final String EVENT = "VEVENT";
    private static final String ZONE = "VTIMEZONE";

    /** Elsewhere these components would be overlooked. */
    private static final Map<String, String> PARENTS = Map.of(
            EVENT,
            CALENDAR,
            ZONE,
            CALENDAR,
            "STANDARD",
            ZONE,
            "DAYLIGHT",
            ZONE,
            "VFREEBUSY",
            CALENDAR,
            "VAVAILABILITY",
            CALENDAR);

    private final String name;
    private final int line;
    private final Map<String, List<ContentLine>> properties = new LinkedHashMap<>();
    private final List<CalendarComponent> children = new ArrayList<>();

    private CalendarComponent(String name, int line) {
        this.name = name;
        this.line = line;
    }

    /**
     * Reads the calendar of a file. Its work and its memory are proportional to the size of the file, which has
     * {@value ContentLines#MAX_LINES} lines at most.
     *
     * @throws InvalidJsonException if the file is no iCalendar file, or too large; the message names the line
     */
    public static CalendarComponent read(byte[] file) {
        return new Reader(file).read();
    }

    /** Returns the name in upper case. */
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

    private static final class Reader {
        private final ContentLines lines;
        private final Deque<CalendarComponent> open = new ArrayDeque<>();
        private CalendarComponent calendar;
        private int events;

        Reader(byte[] file) {
            lines = new ContentLines(file);
        }

        CalendarComponent read() {
            for (String text = lines.next(); text != null; text = lines.next()) {
                if (!open.isEmpty()) {
                    take(ContentLine.of(lines.number(), text));
                } else if (!text.strip().equalsIgnoreCase("BEGIN:VCALENDAR")) {
                    throw refusal(calendar == null ? "must be BEGIN:VCALENDAR" : "text follows END:VCALENDAR");
                } else if (calendar != null) {
                    throw refusal("the file has a second VCALENDAR");
                } else {
                    calendar = new CalendarComponent(CALENDAR, lines.number());
                    open.push(calendar);
                }
            }
            if (!open.isEmpty()) {
                throw refusal("END:" + open.peek().name + " is missing");
            }
            if (calendar == null) {
                throw refusal("the file has no VCALENDAR");
            }
            return calendar;
        }

        private void take(ContentLine property) {
            String value = property.value().strip().toUpperCase(Locale.ROOT);
            if (property.name().equals("BEGIN")) {
                begin(value);
            } else if (!property.name().equals("END")) {
                open.peek()
                        .properties
                        .computeIfAbsent(property.name(), key -> new ArrayList<>(1))
                        .add(property);
            } else if (!open.pop().name.equals(value)) {
                throw refusal(SafeQuote.of("END:" + value) + " has no matching BEGIN");
            }
        }

        private void begin(String name) {
            CalendarComponent parent = open.peek();
            if (name.equals(EVENT) && ++events > MAX_EVENTS) {
                throw refusal("more than " + MAX_EVENTS + " events");
            }
            if (open.size() == MAX_DEPTH) {
                throw refusal("components have more than " + MAX_DEPTH + " levels of nesting");
            }
            if (!PARENTS.getOrDefault(name, parent.name).equals(parent.name)) {
                throw refusal(name + " must be inside " + PARENTS.get(name) + ", but is inside " + parent.name);
            }
            if (name.equals(CALENDAR)) {
                throw refusal("a VCALENDAR must not be inside another one");
            }
            CalendarComponent component = new CalendarComponent(name, lines.number());
            parent.children.add(component);
            open.push(component);
        }

        private InvalidJsonException refusal(String detail) {
            return ContentLine.refusal(lines.number(), detail);
        }
    }
}
