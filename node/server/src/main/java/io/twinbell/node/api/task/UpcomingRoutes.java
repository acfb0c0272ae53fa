package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.StandingPauseJson;
import io.twinbell.node.forecast.UpcomingFires;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.cluster.Pause;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Shows how many fires are planned in each of the coming minutes, and which clock changes lie among them. */
public final class UpcomingRoutes {
    private static final long DEFAULT_SPAN = Duration.ofHours(6).toMillis();
    private static final long MAX_SPAN = Duration.ofHours(24).toMillis();

    /** More tasks are named only in a span of one minute. */
    private static final int NAMED = 5;

    private static final int MAX_NAMED = 1000;
    private static final long MINUTE = Duration.ofMinutes(1).toMillis();

    private final ApiStores stores;
    private final ClusterView cluster;

    public UpcomingRoutes(ApiStores stores, ClusterView cluster) {
        this.stores = stores;
        this.cluster = cluster;
    }

    public List<Route> routes() {
        return List.of(Route.get(
                "/api/v1/schedules/upcoming",
                AccessRule.read(AppScope.APP_IN_QUERY),
                this::show,
                "app",
                "from",
                "until",
                "names"));
    }

    private void show(Context context) {
        QueryParameters query = QueryParameters.of(context);
        long now = stores.clock().nowMillis();
        UpcomingFires.Span span = span(query, now);
        PairState pair = cluster.pairState();
        List<Pause> pauses = Stream.concat(
                        Stream.ofNullable(pair.pause()),
                        pair.standingPauses() == null ? Stream.empty() : pair.standingPauses().stream())
                .toList();
        UpcomingFires fires = new UpcomingFires(
                stores.tasks().upcoming(query.text("app"), span.untilMillis(), UpcomingFires.MAX_TASKS + 1),
                stores.calendars().fresh(),
                pauses,
                span);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("now", Instants.text(now));
        json.put("from", Instants.text(span.fromMillis()));
        json.put("until", Instants.text(span.untilMillis()));
        json.put("completeUntil", Instants.text(fires.completeUntilMillis()));
        json.put("tasks", fires.tasks());
        ArrayNode minutes = json.putArray("minutes");
        fires.minutes().forEach(minute -> minute(minutes.addObject(), minute));
        ArrayNode later = json.putArray("nextFires");
        if (fires.isBoundedByTasks()) {
            stores.tasks()
                    .nextFiresByMinute(
                            query.text("app"),
                            Math.max(span.fromMillis(), fires.completeUntilMillis()),
                            span.untilMillis())
                    .forEach((at, tasks) ->
                            later.addObject().put("at", Instants.text(at)).put("tasks", tasks));
        }
        ArrayNode changes = json.putArray("clockChanges");
        fires.clockChanges().forEach(change -> change.addTo(changes));
        Principal principal = Caller.of(context).principal();
        ArrayNode applied = json.putArray("pauses");
        fires.pauses().stream()
                .filter(pause -> !pause.isStanding() || StandingPauseJson.isVisibleTo(principal, pause))
                .forEach(pause -> applied.add(StandingPauseJson.of(pause)));
        ResponseWriter.json(context, 200, json);
    }

    /** A span that has begun counts from now on. */
    private static UpcomingFires.Span span(QueryParameters query, long now) {
        Long askedFrom = query.instant("from");
        Long askedUntil = query.instant("until");
        Long names = query.number("names");
        long from = askedFrom == null ? now : askedFrom;
        long until = askedUntil == null ? Math.min(Math.max(from, now) + DEFAULT_SPAN, now + MAX_SPAN) : askedUntil;
        if (askedUntil != null && (until <= now || until > now + MAX_SPAN)) {
            throw QueryParameters.refusal("until", "must be later than now, by 24 hours at most");
        }
        if (from >= until) {
            throw QueryParameters.refusal("from", "must be before the end of the span, within 24 hours");
        }
        if (names != null && names > MAX_NAMED) {
            throw QueryParameters.refusal("names", "must be 1 to " + MAX_NAMED);
        }
        if (names != null && names > NAMED && until - from > MINUTE) {
            throw QueryParameters.refusal("names", "may exceed " + NAMED + " only in a span of a minute at most");
        }
        return new UpcomingFires.Span(Math.max(from, now), until, names == null ? NAMED : names.intValue());
    }

    private static void minute(ObjectNode json, UpcomingFires.Minute minute) {
        json.put("at", Instants.text(minute.atMillis()));
        json.put("fires", minute.fires());
        json.put("paused", minute.paused());
        json.put("peakAt", Instants.text(minute.peakMillis()));
        json.put("peakFires", minute.peakFires());
        ArrayNode first = json.putArray("first");
        minute.first()
                .forEach(firing -> first.addObject()
                        .put("id", firing.task().id())
                        .put("app", firing.task().content().app())
                        .put("name", firing.task().content().name())
                        .put("at", Instants.text(firing.atMillis()))
                        .put("fires", firing.fires())
                        .put("paused", firing.isPaused()));
    }
}
