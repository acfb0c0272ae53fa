package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Mark;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.persistence.database.DatabaseClock;
import java.util.List;

/** Tells when a schedule would fire, without storing anything. It needs neither the database nor a master. */
final class PreviewRoutes {
    private final DatabaseClock clock;

    PreviewRoutes(DatabaseClock clock) {
        this.clock = clock;
    }

    List<Route> routes() {
        return List.of(Route.post("/api/v1/schedules/preview", this::preview));
    }

    private void preview(Context context) {
        PreviewRequest wanted = PreviewRequest.read(RequestBody.object(context), clock.nowMillis());
        Schedule schedule = wanted.schedule();
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode fireTimes = body.putArray("fireTimes");
        ObjectNode marks = body.putObject("marks");
        long fire = wanted.beyond(wanted.fromMillis());
        for (int i = 0; i < wanted.count() && wanted.isFireTime(fire); i++) {
            fireTimes.add(Instants.text(fire));
            Mark mark = schedule.mark(fire);
            if (mark != Mark.NONE) {
                marks.put(Instants.text(fire), mark.name());
            }
            fire = wanted.beyond(fire);
        }
        if (fireTimes.isEmpty()) {
            throw new InvalidJsonException("/schedule", wanted.nothingFound());
        }
        body.put("description", description(schedule));
        Answer.json(context, 200, body);
    }

    private static String description(Schedule schedule) {
        return schedule.description() + (schedule.followsTheRun() ? "; shown as if runs took no time" : "");
    }
}
