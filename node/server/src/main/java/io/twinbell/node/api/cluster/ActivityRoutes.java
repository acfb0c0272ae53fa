package io.twinbell.node.api.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.cluster.store.ActivityMinutes.ActivityMinute;
import io.twinbell.node.json.Instants;
import io.twinbell.node.metrics.EngineTotals;
import io.twinbell.persistence.clock.DatabaseClock;
import java.time.Duration;
import java.util.List;

/** Route for what the masters did, minute by minute. */
public final class ActivityRoutes {
    private static final long DEFAULT_SPAN = Duration.ofHours(1).toMillis();
    private static final long MAX_SPAN = Duration.ofDays(1).toMillis();
    /** A day of minutes, and room for minutes with more than one master. */
    private static final int MAX_ROWS = 2000;

    private final ActivityMinutes minutes;
    private final DatabaseClock clock;

    public ActivityRoutes(ActivityMinutes minutes, DatabaseClock clock) {
        this.minutes = minutes;
        this.clock = clock;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.CLUSTER + "/activity", AccessRule.read(AppScope.PAIR), this::list, "from", "until"));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        long now = clock.nowMillis();
        Long until = query.instant("until");
        long end = until == null ? now : until;
        Long from = query.instant("from");
        long first = from == null ? end - DEFAULT_SPAN : from;
        if (end <= first || end - first > MAX_SPAN) {
            throw QueryParameters.refusal("from", "must be before until, by 24 hours at most");
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("now", Instants.text(now));
        ArrayNode items = json.putArray("items");
        minutes.between(first, end, MAX_ROWS).forEach(minute -> show(minute, items.addObject()));
        ResponseWriter.json(context, 200, json);
    }

    private static void show(ActivityMinute minute, ObjectNode json) {
        EngineTotals.Counts counts = minute.counts();
        json.put("minute", Instants.text(minute.minuteMillis()));
        json.put("node", minute.node()).put("epoch", minute.epoch());
        json.put("claimed", counts.claimed()).put("succeeded", counts.succeeded());
        json.put("failed", counts.failed()).put("cancelled", counts.cancelled());
        json.put("notRun", counts.notRun());
        json.put("latenessP50Millis", minute.latenessP50Millis());
        json.put("latenessP99Millis", minute.latenessP99Millis());
    }
}
