package io.twinbell.node.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Mark;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.schedule.ScheduleException;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.database.DatabaseClock;
import java.util.ArrayList;
import java.util.List;

/** Tells when a schedule would fire, without storing anything. */
final class PreviewRoutes {
    private static final int DEFAULT_COUNT = 10;
    private static final int MAX_COUNT = 1000;

    private final DatabaseClock clock;

    PreviewRoutes(DatabaseClock clock) {
        this.clock = clock;
    }

    List<Route> routes() {
        return List.of(Route.post("/api/v1/schedules/preview", this::preview));
    }

    private record Wanted(Schedule schedule, long fromMillis, int count) {}

    private void preview(Context context) {
        Wanted wanted = read(RequestBody.object(context));
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode fireTimes = body.putArray("fireTimes");
        ObjectNode marks = body.putObject("marks");
        long fire = wanted.schedule().next(wanted.fromMillis());
        for (int i = 0; i < wanted.count() && fire != Schedule.NEVER; i++) {
            fireTimes.add(Instants.text(fire));
            Mark mark = wanted.schedule().mark(fire);
            if (mark != Mark.NONE) {
                marks.put(Instants.text(fire), mark.name());
            }
            fire = wanted.schedule().next(fire);
        }
        if (fireTimes.isEmpty()) {
            throw new InvalidJsonException(
                    "/schedule", "never fires: it has no fire time after " + Instants.text(wanted.fromMillis()));
        }
        body.put("description", wanted.schedule().description());
        Answer.json(context, 200, body);
    }

    private Wanted read(ObjectNode body) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        JsonNode schedule = fields.required("schedule");
        Long from = fields.instant("from");
        Long count = fields.integer("count", 1, MAX_COUNT);
        fields.refuseOthers();
        long fromMillis = from == null ? clock.nowMillis() : from;
        Schedule parsed = schedule == null ? null : parse(fields, schedule, fromMillis);
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new Wanted(parsed, fromMillis, count == null ? DEFAULT_COUNT : count.intValue());
    }

    /** As a task with this schedule would fire if it were made at that instant. */
    private static Schedule parse(Fields fields, JsonNode schedule, long fromMillis) {
        try {
            return Schedules.parse(schedule, Window.from(fromMillis), "");
        } catch (ScheduleException e) {
            fields.errorBelow("/schedule" + e.pointer(), e.getMessage());
            return null;
        }
    }
}
