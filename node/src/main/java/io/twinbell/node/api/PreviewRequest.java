package io.twinbell.node.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.CalendarSchedule;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.schedule.ScheduleException;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.task.RespectedCalendars;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a preview is to show.
 *
 * @param fromMillis the instant to start from, itself left out
 */
record PreviewRequest(Schedule schedule, long fromMillis, int count, Direction direction) {
    private static final int DEFAULT_COUNT = 10;
    private static final int MAX_COUNT = 1000;
    private static final int MAX_NAME = 200;

    enum Direction {
        FORWARD,
        BACKWARD
    }

    /** @throws InvalidJsonException with everything that is wrong */
    static PreviewRequest read(ObjectNode body, long nowMillis, Calendars calendars) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        JsonNode given = fields.required("schedule");
        Long from = fields.instant("from");
        Long count = fields.integer("count", 1, MAX_COUNT);
        Direction direction = fields.choice("direction", Direction.class, Direction.FORWARD);
        Span span = Span.read(fields, from == null ? nowMillis : from, direction);
        String identity = identity(fields);
        Duration jitter = jitter(fields, identity);
        List<BusinessCalendar> respected = RespectedCalendars.read(fields, calendars);
        fields.refuseOthers();
        Schedule schedule =
                given == null || span == null ? null : span.schedule(fields, given, identity, respected, jitter);
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new PreviewRequest(
                schedule, span.fromMillis(), count == null ? DEFAULT_COUNT : count.intValue(), direction);
    }

    /** The fire time that follows in the wanted direction, strictly beyond the instant. */
    long beyond(long millis) {
        return direction == Direction.FORWARD ? schedule.next(millis) : schedule.previous(millis);
    }

    boolean isFireTime(long millis) {
        return millis != Schedule.NEVER && millis != Schedule.NONE_BEFORE;
    }

    String nothingFound() {
        return "never fires: it has no fire time " + (direction == Direction.FORWARD ? "after " : "before ")
                + Instants.text(fromMillis);
    }

    /** As tasks have it: what H stands for depends on app and name. */
    private static String identity(Fields fields) {
        String app = fields.line("app", MAX_NAME);
        String name = fields.line("name", MAX_NAME);
        boolean givenAlone = (fields.json("app") == null) != (fields.json("name") == null);
        if (givenAlone) {
            fields.error(app == null ? "app" : "name", "is required too: H depends on both app and name");
        }
        return app == null || name == null ? "" : app + "/" + name;
    }

    /** Null for none. Another task's jitter would be a preview of what never fires. */
    private static Duration jitter(Fields fields, String identity) {
        Duration jitter = fields.duration("jitter", Duration.ZERO, Schedules.MAX_JITTER);
        if (jitter == null || jitter.isZero()) {
            return null;
        }
        if (identity.isEmpty()) {
            fields.error("jitter", "needs app and name too: how far a fire time is put off depends on both");
        }
        return jitter;
    }

    /** Where the preview stands, and between what instants its task would live. */
    private record Span(long fromMillis, Long startMillis, long endMillis, Direction direction) {
        static Span read(Fields fields, long fromMillis, Direction direction) {
            Long start = fields.instant("start");
            Long end = fields.instant("end");
            if (start != null && end != null && end < start) {
                return fields.error("end", "lies before the start, " + Instants.text(start));
            }
            return new Span(fromMillis, start, end == null ? Schedule.NEVER : end, direction);
        }

        /**
         * Forwards, a task without a start counts as made at that instant. Backwards it would then have no past at all, so
         * there it counts as one that has always been.
         */
        Schedule schedule(
                Fields fields, JsonNode given, String identity, List<BusinessCalendar> respected, Duration jitter) {
            try {
                boolean isEverlasting = startMillis == null && direction == Direction.BACKWARD;
                Window window = new Window(startMillis == null ? fromMillis : startMillis, endMillis);
                Schedule read = isEverlasting
                        ? Schedules.parseEverlasting(given, window, identity)
                        : Schedules.parse(given, window, identity);
                Schedule schedule = CalendarSchedule.of(read, respected, window);
                return jitter == null ? schedule : Schedules.jittered(schedule, jitter, window, identity);
            } catch (ScheduleException e) {
                fields.errorBelow("/schedule" + e.pointer(), e.getMessage());
                return null;
            }
        }
    }
}
