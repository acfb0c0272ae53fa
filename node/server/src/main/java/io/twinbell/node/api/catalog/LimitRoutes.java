package io.twinbell.node.api.catalog;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.NamedObject;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.persistence.limit.LimitKey;
import io.twinbell.persistence.limit.RunLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Routes for the limits on running executions and on starts per period. */
public final class LimitRoutes {
    private static final String LIMITS = "/api/v1/limits";
    private static final long MAX_RUNNING = 100_000;
    private static final long MAX_RATE = 100_000;
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(1);

    private final LimitStore limits;

    public LimitRoutes(LimitStore limits) {
        this.limits = limits;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(LIMITS, AccessRule.read(AppScope.FILTERED), this::list, "limit", "after"),
                Route.put(LIMITS + "/{key}", AccessRule.edit(AppScope.KEY_IN_PATH), this::put, NamedObject.DRY_RUN),
                Route.get(LIMITS + "/{key}", AccessRule.read(AppScope.KEY_IN_PATH), this::get),
                Route.delete(
                        LIMITS + "/{key}", AccessRule.edit(AppScope.KEY_IN_PATH), this::delete, ReasonBody.PARAMETER));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit();
        Principal principal = Caller.of(context).principal();
        if (principal.isBound()) {
            List<LimitStore.Use> own = principal.apps().stream()
                    .sorted()
                    .flatMap(app -> limits.find(LimitKey.ofApp(app)).stream())
                    .toList();
            ResponseWriter.page(
                    context,
                    own,
                    own.size(),
                    LimitRoutes::answer,
                    use -> use.limit().key());
            return;
        }
        List<LimitStore.Use> found = limits.list(Objects.requireNonNullElse(query.text("after"), ""), limit + 1);
        ResponseWriter.page(
                context, found, limit, LimitRoutes::answer, use -> use.limit().key());
    }

    private void get(Context context) {
        String key = context.pathParam("key");
        ResponseWriter.json(context, 200, answer(limits.find(key).orElseThrow(() -> unknown(key))));
    }

    private void put(Context context) {
        boolean dryRun = QueryParameters.of(context).flag(NamedObject.DRY_RUN);
        String key = key(context);
        RunLimit limit = read(key, RequestBody.object(context));
        if (dryRun) {
            ResponseWriter.json(context, 200, answer(limit));
            return;
        }
        LimitStore.PutResult put = limits.put(limit);
        if (put == LimitStore.PutResult.FULL) {
            throw new ProblemException(
                    ProblemType.CONFLICT, "there are already " + LimitStore.MAX_LIMITS + " limits; remove one first");
        }
        ObjectNode stored = answer(limits.find(key).orElseThrow(() -> unknown(key)));
        if (put == LimitStore.PutResult.CREATED) {
            ResponseWriter.created(context, NamedObject.path(LIMITS, key), stored);
        } else {
            ResponseWriter.json(context, 200, stored);
        }
    }

    private static RunLimit read(String key, ObjectNode body) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        Long maxRunning = fields.integer("maxRunning", 1, MAX_RUNNING);
        Fields rate = fields.object("rate");
        Long max = rate == null ? null : required(rate, "max", rate.integer("max", 1, MAX_RATE));
        Duration per = rate == null ? null : required(rate, "per", rate.duration("per", SHORTEST, LONGEST));
        if (rate != null) {
            rate.refuseUnknown();
        } else if (fields.json("maxRunning") == null) {
            fields.errorBelow("", "must have maxRunning, rate or both");
        }
        RequestBody.end(fields, errors);
        return new RunLimit(
                key,
                maxRunning == null ? RunLimit.UNLIMITED : maxRunning.intValue(),
                rate == null ? null : new RunLimit.Rate(max.intValue(), per));
    }

    private static <T> T required(Fields fields, String name, T value) {
        if (fields.json(name) == null) {
            fields.required(name);
        }
        return value;
    }

    private void delete(Context context) {
        String key = context.pathParam("key");
        if (!limits.remove(key)) {
            throw unknown(key);
        }
        context.status(204);
    }

    private static ObjectNode answer(LimitStore.Use use) {
        ObjectNode json = answer(use.limit());
        json.put("running", use.running());
        json.put("waiting", use.waiting());
        json.put("createdAt", Instants.text(use.createdAtMillis()));
        json.put("updatedAt", Instants.text(use.updatedAtMillis()));
        return json;
    }

    private static ObjectNode answer(RunLimit limit) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("key", limit.key());
        json.put("maxRunning", limit.maxRunning() == RunLimit.UNLIMITED ? null : limit.maxRunning());
        if (limit.rate() == null) {
            json.putNull("rate");
        } else {
            json.putObject("rate")
                    .put("max", limit.rate().max())
                    .put("per", limit.rate().per().toString());
        }
        return json;
    }

    private static String key(Context context) {
        String key = context.pathParam("key");
        if (!LimitKey.isWellFormed(key)) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "the key of a limit must be a concurrency key, or one of " + String.join(", ", LimitKey.PREFIXES)
                            + " followed by a name: 1 to " + LimitKey.MAX_LENGTH
                            + " characters and no control characters");
        }
        return key;
    }

    private static ProblemException unknown(String key) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no limit on \"" + key + "\"");
    }
}
