package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.calendar.CalendarReader;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.reader.RespectedCalendars;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The times at which an alert does not call.
 *
 * @param times its own calendar: the alert is silent at times that it excludes; null for none
 * @param calendars names of shared calendars with the same effect
 * @param keeps whether events during a silence are reported when it ends
 */
public record AlertSilence(BusinessCalendar times, List<String> calendars, boolean keeps) {
    private static final AlertSilence NEVER = new AlertSilence(null, List.of(), true);
    /** Members of a silence that a calendar does not have. */
    private static final Set<String> BESIDES = Set.of("calendars", "keep");

    /** A calendar that cannot be read does not silence the alert. */
    boolean isAt(long millis, Calendars known) {
        return times != null && !times.allows(millis)
                || calendars.stream().anyMatch(name -> isSilencedBy(name, millis, known));
    }

    private static boolean isSilencedBy(String name, long millis, Calendars known) {
        try {
            BusinessCalendar calendar = known.find(name);
            return calendar != null && !calendar.allows(millis);
        } catch (ScheduleException e) {
            return false;
        }
    }

    /**
     * Parses the member {@code silence}.
     *
     * @param known null if the names were checked before
     */
    static AlertSilence read(Fields alert, ObjectNode normalized, Calendars known) {
        JsonNode given = alert.json("silence");
        if (given == null) {
            return NEVER;
        }
        Fields fields = alert.object("silence");
        if (!(given instanceof ObjectNode members)) {
            return NEVER;
        }
        ObjectNode written = normalized.putObject("silence");
        ObjectNode own = members.deepCopy();
        own.remove(BESIDES);
        BusinessCalendar times = own.isEmpty() ? null : times(alert, own, written);
        List<String> calendars = names(fields, given, known);
        if (!calendars.isEmpty()) {
            ArrayNode names = written.putArray("calendars");
            calendars.forEach(names::add);
        }
        Boolean keep = fields.bool("keep");
        boolean keeps = keep == null || keep;
        written.put("keep", keeps);
        if (own.isEmpty() && given.path("calendars").isEmpty()) {
            alert.error("silence", "must have times, such as {\"weekly\": [{\"days\": [\"SUN\"]}]}, or calendars");
        }
        return new AlertSilence(times, calendars, keeps);
    }

    private static BusinessCalendar times(Fields alert, ObjectNode calendar, ObjectNode written) {
        try {
            String normalized = CalendarReader.normalized(calendar);
            written.setAll((ObjectNode) StrictJson.readStored(normalized));
            return CalendarReader.compiled("silence", 1, normalized);
        } catch (InvalidJsonException e) {
            e.errors().forEach(error -> alert.errorBelow("/silence" + error.pointer(), error.detail()));
            return null;
        }
    }

    private static List<String> names(Fields silence, JsonNode given, Calendars known) {
        if (known != null) {
            return RespectedCalendars.read(silence, known).stream()
                    .map(BusinessCalendar::name)
                    .toList();
        }
        List<String> names = new ArrayList<>();
        given.path("calendars").forEach(name -> names.add(name.asText()));
        return names;
    }
}
