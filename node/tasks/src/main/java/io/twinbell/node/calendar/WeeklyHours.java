package io.twinbell.node.calendar;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.TimeRanges;
import java.time.DateTimeException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads weekly hours, such as {@code {"days":["FRI"],"from":"22:00","to":"06:00"}}, which ends on Saturday. */
final class WeeklyHours {
    static final int MAX_ENTRIES = 100;

    private static final Pattern TIME = Pattern.compile("([01]\\d|2[0-3]):[0-5]\\d|24:00");
    private static final String START_OF_DAY = "00:00";
    private static final String END_OF_DAY = "24:00";

    private final List<FieldError> errors;
    private final TimeRanges.Collector week = new TimeRanges.Collector();

    WeeklyHours(List<FieldError> errors) {
        this.errors = errors;
    }

    private enum Day {
        MON,
        TUE,
        WED,
        THU,
        FRI,
        SAT,
        SUN
    }

    TimeRanges merged() {
        return week.merged();
    }

    void add(JsonNode given, String pointer, ArrayNode written) {
        Fields hours = Fields.of(given, pointer, errors);
        Set<Day> days = days(hours, pointer);
        String from = time(hours, "from", START_OF_DAY);
        String to = time(hours, "to", END_OF_DAY);
        hours.refuseUnknown();
        if (days.isEmpty() || from == null || to == null) {
            return;
        }
        if (from.equals(to) || from.equals(END_OF_DAY)) {
            hours.error("to", "leaves no time between from and to; a whole day is 00:00 to 24:00");
            return;
        }
        days.forEach(day -> add(day, seconds(from), seconds(to)));
        ObjectNode entry = written.addObject();
        ArrayNode names = entry.putArray("days");
        days.forEach(day -> names.add(day.name()));
        entry.put("from", from).put("to", to);
    }

    /** Adds hours of one day. An end that is not after the start is on the next day; after Sunday comes Monday. */
    private void add(Day day, long from, long to) {
        long start = day.ordinal() * BusinessCalendar.DAY + from;
        long end = day.ordinal() * BusinessCalendar.DAY + to + (to <= from ? BusinessCalendar.DAY : 0);
        week.add(start, Math.min(end, BusinessCalendar.WEEK));
        week.add(0, end - BusinessCalendar.WEEK);
    }

    private Set<Day> days(Fields hours, String pointer) {
        Set<Day> days = EnumSet.noneOf(Day.class);
        JsonNode given = hours.required("days");
        if (given == null) {
            return days;
        }
        if (!given.isArray() || given.isEmpty() || given.size() > Day.values().length) {
            hours.error("days", "must be a list of one to seven days, such as MON");
            return days;
        }
        for (int i = 0; i < given.size(); i++) {
            try {
                days.add(day(given.get(i).textValue()));
            } catch (DateTimeException e) {
                errors.add(new FieldError(pointer + "/days/" + i, e.getMessage()));
            }
        }
        return days;
    }

    private static Day day(String text) {
        for (Day day : Day.values()) {
            if (day.name().equals(text)) {
                return day;
            }
        }
        throw new DateTimeException("must be one of MON, TUE, WED, THU, FRI, SAT, SUN");
    }

    private static String time(Fields hours, String name, String otherwise) {
        if (hours.json(name) == null) {
            return otherwise;
        }
        String given = hours.text(name, 5);
        if (given == null || TIME.matcher(given).matches()) {
            return given;
        }
        return hours.error(name, "must be a time from 00:00 to 24:00");
    }

    private static long seconds(String time) {
        return Integer.parseInt(time.substring(0, 2)) * 3600L + Integer.parseInt(time.substring(3)) * 60L;
    }
}
