package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
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
}
