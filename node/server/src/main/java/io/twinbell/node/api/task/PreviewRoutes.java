package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.OnExcluded;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.task.DefaultedMembers;
import io.twinbell.node.task.reader.RespectedCalendars;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Previews the fire times of a schedule without storing anything. It needs no master, and reads only calendars and
 * default zones from the database.
 */
public final class PreviewRoutes {
    private final ApiStores stores;

    public PreviewRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(Route.post("/api/v1/schedules/preview", AccessRule.read(AppScope.NONE), this::preview));
    }

    private void preview(Context context) {
        ObjectNode asked = RequestBody.object(context);
        Calendars calendars = asked.hasNonNull("calendars")
                ? stores.calendars().fresh()
                : stores.calendars().noneForPreview();
        PreviewRequest wanted = PreviewRequest.read(asked, stores.clock().nowMillis(), calendars);
        Schedule schedule = wanted.schedule();
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode fireTimes = body.putArray("fireTimes");
        ObjectNode marks = body.putObject("marks");
        long fire = wanted.beyond(wanted.fromMillis());
        for (int i = 0; i < wanted.count() && wanted.isFireTime(fire); i++) {
            fireTimes.add(Instants.text(fire));
            DstMark mark = schedule.mark(fire);
            if (mark != DstMark.NONE) {
                marks.put(Instants.text(fire), mark.name());
            }
            fire = wanted.beyond(fire);
        }
        if (fireTimes.isEmpty()) {
            throw new InvalidJsonException("/schedule", wanted.nothingFound());
        }
        body.put("description", description(schedule));
        ResponseWriter.json(context, 200, body);
    }

    private static String description(Schedule schedule) {
        return schedule.description() + (schedule.followsTheRun() ? "; shown as if runs took no time" : "");
    }

    /**
     * A request to preview the fire times of a schedule.
     *
     * @param fromMillis the instant to start from, exclusive
     */
    private record PreviewRequest(Schedule schedule, long fromMillis, int count, Direction direction) {
        private static final int DEFAULT_COUNT = 10;
        private static final int MAX_COUNT = 1000;
        private static final int MAX_NAME = 200;

        enum Direction {
            FORWARD,
            BACKWARD
        }

        /** @throws InvalidJsonException naming every error */
        static PreviewRequest read(ObjectNode body, long nowMillis, Calendars calendars) {
            List<FieldError> errors = new ArrayList<>();
            Fields fields = Fields.of(body, "", errors);
            JsonNode given = fields.required("schedule");
            Long from = fields.instant("from");
            Long count = fields.integer("count", 1, MAX_COUNT);
            Direction direction = fields.choice("direction", Direction.class, Direction.FORWARD);
            Span span = Span.read(fields, from == null ? nowMillis : from, direction);
            String app = fields.line("app", MAX_NAME);
            String identity = identity(fields, app);
            Duration jitter = jitter(fields, identity);
            List<BusinessCalendar> respected = RespectedCalendars.read(fields, calendars);
            OnExcluded onExcluded = RespectedCalendars.onExcluded(fields);
            fields.refuseUnknown();
            Schedule schedule = given == null || span == null
                    ? null
                    : span.schedule(
                            fields,
                            DefaultedMembers.withZone(given, calendars.taskDefaults(app)),
                            identity,
                            respected,
                            onExcluded,
                            jitter);
            if (!errors.isEmpty()) {
                throw new InvalidJsonException(errors);
            }
            return new PreviewRequest(
                    schedule, span.fromMillis(), count == null ? DEFAULT_COUNT : count.intValue(), direction);
        }

        /** Returns the next fire time in the requested direction, strictly beyond the instant. */
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

        /** Returns the identity of a task with this app and name, which determines the value of H. */
        private static String identity(Fields fields, String app) {
            String name = fields.line("name", MAX_NAME);
            boolean givenAlone = (fields.json("app") == null) != (fields.json("name") == null);
            if (givenAlone) {
                fields.error(app == null ? "app" : "name", "is required too: H depends on both app and name");
            }
            return app == null || name == null ? "" : app + "/" + name;
        }

        /**
         * Returns null for no jitter. Jitter depends on app and name, so both are required: another task's jitter would
         * give other fire times.
         */
        private static Duration jitter(Fields fields, String identity) {
            Duration jitter = fields.duration("jitter", Duration.ZERO, Schedules.MAX_JITTER);
            if (jitter == null || jitter.isZero()) {
                return null;
            }
            if (identity.isEmpty()) {
                fields.error("jitter", "requires app and name: the delay of a fire time depends on both");
            }
            return jitter;
        }

        /** The starting instant of the preview, and the start and end of the schedule. */
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
             * Builds the schedule. Forwards, a schedule without a start begins at the preview's instant. Backwards it
             * would then have no fire times, so there it has no beginning.
             */
            Schedule schedule(
                    Fields fields,
                    JsonNode given,
                    String identity,
                    List<BusinessCalendar> respected,
                    OnExcluded onExcluded,
                    Duration jitter) {
                try {
                    boolean isEverlasting = startMillis == null && direction == Direction.BACKWARD;
                    Window window = new Window(startMillis == null ? fromMillis : startMillis, endMillis);
                    Schedule read = isEverlasting
                            ? Schedules.parseEverlasting(given, window, identity)
                            : Schedules.parse(given, window, identity);
                    Schedule schedule = RespectedCalendars.restrict(fields, read, respected, onExcluded, window);
                    return jitter == null ? schedule : Schedules.jittered(schedule, jitter, window, identity);
                } catch (ScheduleException e) {
                    fields.errorBelow("/schedule" + e.pointer(), e.getMessage());
                    return null;
                }
            }
        }
    }
}
