package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.Fields;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.CalendarSchedule;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.OnExcluded;
import io.twinbell.node.schedule.Window;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the list of calendars that a task respects. */
public final class RespectedCalendars {
    private RespectedCalendars() {}

    /** Reads the member {@code calendars}, a list of names; each must be known. */
    public static List<BusinessCalendar> read(Fields fields, Calendars calendars) {
        JsonNode given = fields.json("calendars");
        if (given == null) {
            return List.of();
        }
        if (!given.isArray() || given.size() > TaskMembers.MAX_CALENDARS) {
            fields.error("calendars", "must be a list of at most " + TaskMembers.MAX_CALENDARS + " names of calendars");
            return List.of();
        }
        Map<String, BusinessCalendar> found = new LinkedHashMap<>();
        for (int i = 0; i < given.size(); i++) {
            String name = given.get(i).textValue();
            try {
                BusinessCalendar calendar = name == null ? null : calendars.find(name);
                if (calendar == null) {
                    fields.errorBelow("/calendars/" + i, "there is no calendar of that name");
                } else if (found.put(name, calendar) != null) {
                    fields.errorBelow("/calendars/" + i, "is named twice");
                }
            } catch (ScheduleException e) {
                fields.errorBelow("/calendars/" + i, e.getMessage());
            }
        }
        return List.copyOf(found.values());
    }

    /** Reads the member {@code onExcluded}. Jitter judges the time before the delay, so both can't be combined. */
    public static OnExcluded onExcluded(Fields fields) {
        OnExcluded onExcluded = TaskMembers.ON_EXCLUDED.read(fields);
        if (onExcluded != OnExcluded.SKIP && fields.json("jitter") != null) {
            fields.error("onExcluded", onExcluded + " can't be combined with jitter");
        }
        return onExcluded;
    }

    /** Returns the schedule restricted by the calendars; null, with an error, if its fire times can't be moved. */
    public static Schedule restrict(
            Fields fields, Schedule schedule, List<BusinessCalendar> respected, OnExcluded onExcluded, Window window) {
        try {
            return CalendarSchedule.of(schedule, respected, onExcluded, window);
        } catch (ScheduleException e) {
            return fields.error("onExcluded", e.getMessage());
        }
    }

    static void write(List<BusinessCalendar> respected, ObjectNode normalized) {
        if (!respected.isEmpty()) {
            ArrayNode names = normalized.putArray("calendars");
            respected.forEach(calendar -> names.add(calendar.name()));
        }
    }
}
