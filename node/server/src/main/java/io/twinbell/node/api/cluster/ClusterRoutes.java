package io.twinbell.node.api.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.cluster.ClusterView.SwitchoverResult;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.cluster.store.ActivityMinutes.ActivityMinute;
import io.twinbell.node.json.Instants;
import io.twinbell.node.metrics.EngineTotals;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.clock.DatabaseClock;
import java.time.Duration;
import java.util.List;

/**
 * Routes that show the pair and what its masters did, minute by minute, and that control it: switchover, failover, hold
 * and pause.
 */
public final class ClusterRoutes {

    private static final long DEFAULT_SPAN = Duration.ofHours(1).toMillis();
    private static final long MAX_SPAN = Duration.ofDays(1).toMillis();
    /** A day of minutes, and room for minutes with more than one master. */
    private static final int MAX_ROWS = 2000;

    private final ClusterView cluster;
    private final ActivityMinutes minutes;
    private final DatabaseClock clock;

    public ClusterRoutes(ClusterView cluster, ActivityMinutes minutes, DatabaseClock clock) {
        this.cluster = cluster;
        this.minutes = minutes;
        this.clock = clock;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.CLUSTER, AccessRule.read(AppScope.NONE), this::show),
                Route.get(ApiPaths.CLUSTER + "/self", AccessRule.OPEN_IN_PART, this::showSelf),
                Route.get(
                        ApiPaths.CLUSTER + "/activity",
                        AccessRule.read(AppScope.PAIR),
                        this::activity,
                        "from",
                        "until"),
                Route.get(
                        ApiPaths.CLUSTER + "/self/configuration",
                        AccessRule.operate(AppScope.PAIR),
                        this::showConfiguration),
                Route.post(ApiPaths.CLUSTER + "/switchover", AccessRule.operate(AppScope.PAIR), this::switchover),
                Route.post(ApiPaths.CLUSTER + "/failover", AccessRule.operate(AppScope.PAIR), this::failover),
                Route.post(ApiPaths.CLUSTER + "/hold", AccessRule.operate(AppScope.PAIR), this::hold),
                Route.post(ApiPaths.CLUSTER + "/release", AccessRule.operate(AppScope.PAIR), this::release),
                Route.post(ApiPaths.CLUSTER + "/pause", AccessRule.operate(AppScope.PAIR), this::pause),
                Route.post(ApiPaths.CLUSTER + "/resume", AccessRule.operate(AppScope.PAIR), this::resume));
    }

    private void show(Context context) {
        ResponseWriter.json(
                context,
                200,
                ClusterJson.answer(cluster.pairState(), Caller.of(context).principal()));
    }

    private void showSelf(Context context) {
        Principal principal = Caller.of(context).principal();
        ObjectNode self = ClusterJson.answer(cluster.self(), principal);
        if (principal.equals(Principal.NOBODY)) {
            // A standby must be able to ask which process this is, also if neither can read the pair's key.
            ObjectNode refusal = Problem.of(ProblemType.UNAUTHORIZED, "this node needs a token")
                    .json(context.path())
                    .put("incarnation", self.path("incarnation").asText());
            context.header("WWW-Authenticate", Problem.CHALLENGE);
            ResponseWriter.json(context, ProblemType.UNAUTHORIZED.status(), refusal);
            context.contentType(Problem.CONTENT_TYPE);
            return;
        }
        ResponseWriter.json(context, 200, self);
    }

    private void showConfiguration(Context context) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("node", cluster.self().id());
        ArrayNode items = answer.putArray("items");
        cluster.settings()
                .forEach(setting -> items.addObject()
                        .put("key", setting.key())
                        .put("value", setting.value())
                        .put("source", setting.source()));
        ResponseWriter.json(context, 200, answer);
    }

    private void activity(Context context) {
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
        minutes.between(first, end, MAX_ROWS).forEach(minute -> write(minute, items.addObject()));
        ResponseWriter.json(context, 200, json);
    }

    private static void write(ActivityMinute minute, ObjectNode json) {
        EngineTotals.Counts counts = minute.counts();
        json.put("minute", Instants.text(minute.minuteMillis()));
        json.put("node", minute.node()).put("epoch", minute.epoch());
        json.put("claimed", counts.claimed()).put("succeeded", counts.succeeded());
        json.put("failed", counts.failed()).put("cancelled", counts.cancelled());
        json.put("notRun", counts.notRun());
        json.put("latenessP50Millis", minute.latenessP50Millis());
        json.put("latenessP99Millis", minute.latenessP99Millis());
    }

    private void pause(Context context) {
        cluster.pause(PauseBody.of(RequestBody.objectIfAny(context), clock));
        show(context);
    }

    private void resume(Context context) {
        Actor.giveReason(ReasonBody.of(RequestBody.objectIfAny(context)));
        cluster.resume();
        show(context);
    }

    private void hold(Context context) {
        cluster.hold(PauseBody.of(RequestBody.objectIfAny(context), clock));
        show(context);
    }

    private void release(Context context) {
        Actor.giveReason(ReasonBody.of(RequestBody.objectIfAny(context)));
        cluster.release();
        show(context);
    }

    private void switchover(Context context) {
        write(context, cluster.switchover(RoleMoveBody.switchover(RequestBody.objectIfAny(context))));
    }

    private void failover(Context context) {
        write(context, cluster.failover(RoleMoveBody.failover(RequestBody.objectIfAny(context))));
    }

    private static void write(Context context, SwitchoverResult result) {
        if (result instanceof SwitchoverResult.Refused refused) {
            throw new ProblemException(ProblemType.CONFLICT, refused.reason());
        }
        if (result instanceof SwitchoverResult.TimedOut late) {
            throw new ProblemException(ProblemType.TIMED_OUT, late.reason());
        }
        if (result instanceof SwitchoverResult.Done done) {
            ResponseWriter.json(context, 200, done(done));
        }
    }

    private static ObjectNode done(SwitchoverResult.Done done) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("from", done.from())
                .put("to", done.to())
                .put("epoch", done.epoch())
                .put("tookMillis", done.tookMillis());
    }
}
