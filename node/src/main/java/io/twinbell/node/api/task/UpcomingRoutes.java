package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.json.Instants;
import io.twinbell.node.task.UpcomingFires;
import java.time.Duration;
import java.util.List;

/** Shows how many fires are planned in each of the coming minutes, and which clock changes lie among them. */
public final class UpcomingRoutes {
    private static final long DEFAULT_SPAN = Duration.ofHours(6).toMillis();
    private static final long MAX_SPAN = Duration.ofHours(24).toMillis();

    private final ApiStores stores;

    public UpcomingRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(Route.get(
                "/api/v1/schedules/upcoming", AccessRule.read(AppScope.APP_IN_QUERY), this::show, "app", "until"));
    }

    private void show(Context context) {
        QueryParameters query = QueryParameters.of(context);
        long now = stores.clock().nowMillis();
        Long asked = query.instant("until");
        long until = asked == null ? now + DEFAULT_SPAN : asked;
        if (until <= now || until > now + MAX_SPAN) {
            throw QueryParameters.refusal("until", "must be later than now, by 24 hours at most");
        }
        UpcomingFires fires = new UpcomingFires(
                stores.tasks().upcoming(query.text("app"), until, UpcomingFires.MAX_TASKS + 1),
                stores.calendars().fresh(),
                until);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("now", Instants.text(now));
        json.put("until", Instants.text(until));
        json.put("completeUntil", Instants.text(fires.completeUntilMillis()));
        json.put("tasks", fires.tasks());
        ArrayNode minutes = json.putArray("minutes");
        fires.minutes().forEach(minute -> minute(minutes.addObject(), minute));
        ArrayNode changes = json.putArray("clockChanges");
        fires.clockChanges(now, until)
                .forEach(change -> changes.addObject()
                        .put("zone", change.zone())
                        .put("at", Instants.text(change.atMillis()))
                        .put("offsetBefore", change.offsetBefore())
                        .put("offsetAfter", change.offsetAfter()));
        ResponseWriter.json(context, 200, json);
    }

    private static void minute(ObjectNode json, UpcomingFires.Minute minute) {
        json.put("at", Instants.text(minute.atMillis()));
        json.put("fires", minute.fires());
        json.put("peakAt", Instants.text(minute.peakMillis()));
        json.put("peakFires", minute.peakFires());
        ArrayNode first = json.putArray("first");
        minute.first()
                .forEach(task -> first.addObject()
                        .put("id", task.id())
                        .put("app", task.content().app())
                        .put("name", task.content().name()));
    }
}
