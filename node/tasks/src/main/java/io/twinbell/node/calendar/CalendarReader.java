package io.twinbell.node.calendar;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.BusinessCalendar.Mode;
import io.twinbell.node.schedule.TimeRanges;
import io.twinbell.node.schedule.zone.ZoneNames;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses the JSON of a calendar, and writes it back with its defaults; an invalid calendar is refused with all of its
 * errors.
 */
public final class CalendarReader {
    /** The maximum number of entries in each list. */
    public static final int MAX_ENTRIES = 20_000;

    static final int FIRST_YEAR = 1970;
    static final int LAST_YEAR = 2199;
    private static final int MAX_YEARLY = 366;
    private static final int MAX_DESCRIPTION = 1000;
    private static final String NOT_A_DATE = "must be a date from 1970 to 2199, such as 2026-12-25";

    private final Fields fields;
    private final List<FieldError> errors;
    private final ObjectNode normalized = JsonNodeFactory.instance.objectNode();
    private final TimeRanges.Collector days = new TimeRanges.Collector();
    private final TimeRanges.Collector spans = new TimeRanges.Collector();

    private CalendarReader(JsonNode calendar, List<FieldError> errors) {
        this.fields = Fields.of(calendar, "", errors);
        this.errors = errors;
    }

    /**
     * Validates a calendar.
     *
     * @return the text to store: the calendar with its defaults
     * @throws InvalidJsonException naming every error
     */
    public static String normalized(ObjectNode calendar) {
        CalendarReader reader = new CalendarReader(calendar, new ArrayList<>());
        reader.compile("", 0);
        return StrictJson.write(reader.normalized);
    }

    /**
     * Compiles a stored calendar.
     *
     * @throws InvalidJsonException if it cannot be read
     */
    public static BusinessCalendar compiled(String name, long version, String stored) {
        return new CalendarReader(StrictJson.readStored(stored), new ArrayList<>()).compile(name, version);
    }

    private BusinessCalendar compile(String name, long version) {
        String description = fields.line("description", MAX_DESCRIPTION);
        if (description != null) {
            normalized.put("description", description);
        }
        ZoneId zone = zone();
        Mode mode = fields.choice("mode", Mode.class, Mode.EXCLUDE);
        normalized.put("mode", mode.name());
        list("dates", MAX_ENTRIES, this::date);
        list("ranges", MAX_ENTRIES, this::range);
        list("yearly", MAX_YEARLY, this::yearly);
        WeeklyHours hours = new WeeklyHours(errors);
        list("weekly", WeeklyHours.MAX_ENTRIES, hours::add);
        list("spans", MAX_ENTRIES, this::span);
        fields.refuseUnknown();
        BusinessCalendar.Times times = new BusinessCalendar.Times(days.merged(), hours.merged(), spans.merged());
        if (errors.isEmpty() && mode == Mode.ALLOW && times.isEmpty()) {
            fields.error("mode", "is ALLOW, but the calendar has no times: nothing would ever fire");
        }
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new BusinessCalendar(name, version, mode, zone, times);
    }

    private ZoneId zone() {
        String given = fields.line("zone", 64);
        try {
            ZoneId zone = given == null ? ZoneOffset.UTC : ZoneNames.find("/zone", given);
            normalized.put("zone", given == null ? "UTC" : given);
            return zone;
        } catch (ScheduleException e) {
            fields.error("zone", e.getMessage());
            return ZoneOffset.UTC;
        }
    }

    /** Reads one entry, and writes it back with its defaults. */
    interface Entry {
        /** @throws DateTimeException reported as an error of the entry */
        void read(JsonNode given, String pointer, ArrayNode written);
    }

    private void list(String name, int most, Entry entry) {
        JsonNode given = fields.json(name);
        if (given == null) {
            return;
        }
        if (!given.isArray() || given.size() > most) {
            fields.error(name, "must be a list of at most " + most + " entries");
            return;
        }
        ArrayNode written = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < given.size(); i++) {
            String pointer = "/" + name + "/" + i;
            try {
                entry.read(given.get(i), pointer, written);
            } catch (DateTimeException e) {
                errors.add(new FieldError(pointer, e.getMessage()));
            }
        }
        if (!written.isEmpty()) {
            normalized.set(name, written);
        }
    }

    private void date(JsonNode given, String pointer, ArrayNode written) {
        LocalDate date = date(given.textValue());
        addDays(date, date);
        written.add(date.toString());
    }

    private void range(JsonNode given, String pointer, ArrayNode written) {
        Fields range = Fields.of(given, pointer, errors);
        LocalDate from = date(range, "from");
        LocalDate to = date(range, "to");
        range.refuseUnknown();
        if (from == null || to == null) {
            return;
        }
        if (to.isBefore(from)) {
            range.error("to", "lies before from");
        } else {
            addDays(from, to);
            written.addObject().put("from", from.toString()).put("to", to.toString());
        }
    }

    private void yearly(JsonNode given, String pointer, ArrayNode written) {
        MonthDay day = monthDay(given.textValue());
        for (int year = FIRST_YEAR; year <= LAST_YEAR; year++) {
            if (day.isValidYear(year)) {
                addDays(day.atYear(year), day.atYear(year));
            }
        }
        written.add(day.toString().substring(2));
    }

    private void span(JsonNode given, String pointer, ArrayNode written) {
        Fields span = Fields.of(given, pointer, errors);
        Long from = second(span, "from");
        Long to = second(span, "to");
        span.refuseUnknown();
        if (from == null || to == null) {
            return;
        }
        if (to <= from) {
            span.error("to", "must lie after from");
        } else {
            spans.add(from, to);
            written.addObject().put("from", Instants.text(from * 1000)).put("to", Instants.text(to * 1000));
        }
    }

    private static Long second(Fields span, String name) {
        span.required(name);
        Long millis = span.instant(name);
        if (millis == null) {
            return null;
        }
        return millis % 1000 == 0 ? Long.valueOf(millis / 1000) : span.error(name, "must be a whole second");
    }

    private void addDays(LocalDate from, LocalDate to) {
        days.add(from.toEpochDay() * BusinessCalendar.DAY, (to.toEpochDay() + 1) * BusinessCalendar.DAY);
    }

    private static LocalDate date(Fields range, String name) {
        JsonNode given = range.required(name);
        try {
            return given == null ? null : date(given.textValue());
        } catch (DateTimeException e) {
            return range.error(name, e.getMessage());
        }
    }

    private static LocalDate date(String text) {
        try {
            LocalDate date = LocalDate.parse(text == null ? "" : text);
            if (date.getYear() >= FIRST_YEAR && date.getYear() <= LAST_YEAR) {
                return date;
            }
        } catch (DateTimeException e) {
            throw new DateTimeException(NOT_A_DATE, e);
        }
        throw new DateTimeException(NOT_A_DATE);
    }

    private static MonthDay monthDay(String text) {
        try {
            return MonthDay.parse("--" + text);
        } catch (DateTimeException e) {
            throw new DateTimeException("must be a month and a day, such as 12-25", e);
        }
    }
}
