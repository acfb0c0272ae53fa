package io.twinbell.node.api.catalog;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.NamedObject;
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.StandingPauseJson;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.limit.LimitKey;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Routes for the standing pauses of an app, a tag or a handler. */
public final class StandingPauseRoutes {
    private static final String PAUSES = "/api/v1/pauses";

    private final StandingPauses pauses;
    private final DatabaseClock clock;

    public StandingPauseRoutes(StandingPauses pauses, DatabaseClock clock) {
        this.pauses = pauses;
        this.clock = clock;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PAUSES, AccessRule.read(AppScope.FILTERED), this::list),
                Route.get(PAUSES + "/{key}", AccessRule.read(AppScope.KEY_IN_PATH), this::get),
                Route.put(PAUSES + "/{key}", AccessRule.operate(AppScope.KEY_IN_PATH), this::put),
                Route.delete(
                        PAUSES + "/{key}",
                        AccessRule.operate(AppScope.KEY_IN_PATH),
                        this::delete,
                        ReasonBody.PARAMETER));
    }

    private void list(Context context) {
        Principal principal = Caller.of(context).principal();
        List<Pause> seen = pauses.open().stream()
                .filter(pause -> StandingPauseJson.isVisibleTo(principal, pause))
                .toList();
        ResponseWriter.page(context, seen, StandingPauses.MAX_OPEN, StandingPauseJson::of, Pause::key);
    }

    private void get(Context context) {
        String key = context.pathParam("key");
        ResponseWriter.json(context, 200, StandingPauseJson.of(find(key).orElseThrow(() -> unknown(key))));
    }

    private void put(Context context) {
        String key = key(context);
        PauseBody wish = PauseBody.of(RequestBody.objectIfAny(context), clock);
        StandingPauses.SetResult result = pauses.set(
                key,
                Objects.requireNonNullElse(wish.reason(), "no reason given"),
                Objects.requireNonNullElse(wish.by(), "an unnamed user"),
                wish.untilMillis());
        if (result == StandingPauses.SetResult.FULL) {
            throw new ProblemException(
                    ProblemType.CONFLICT,
                    "there are already " + StandingPauses.MAX_OPEN + " standing pauses; end one first");
        }
        ObjectNode stored = StandingPauseJson.of(find(key).orElseThrow(() -> unknown(key)));
        if (result == StandingPauses.SetResult.CREATED) {
            ResponseWriter.created(context, NamedObject.path(PAUSES, key), stored);
        } else {
            ResponseWriter.json(context, 200, stored);
        }
    }

    private void delete(Context context) {
        String key = context.pathParam("key");
        if (!pauses.end(key)) {
            throw unknown(key);
        }
        context.status(204);
    }

    private Optional<Pause> find(String key) {
        return pauses.open().stream().filter(pause -> pause.key().equals(key)).findFirst();
    }

    private static String key(Context context) {
        String key = context.pathParam("key");
        if (!LimitKey.isReserved(key) || !LimitKey.isWellFormed(key)) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "the key of a pause must be one of " + String.join(", ", LimitKey.PREFIXES)
                            + " followed by a name: 1 to " + LimitKey.MAX_LENGTH
                            + " characters and no control characters");
        }
        return key;
    }

    private static ProblemException unknown(String key) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no standing pause of \"" + key + "\"");
    }
}
