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
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.defaults.store.StoredDefaults;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.TaskDefaultsReader;
import io.twinbell.persistence.limit.LimitKey;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Routes for the defaults of tasks: of the cluster, and of each app. */
public final class DefaultsRoutes {
    private static final String DEFAULTS = "/api/v1/defaults";
    private static final NamedObject KIND = new NamedObject("a default");
    private static final List<String> READ_ONLY = List.of("createdAt", "updatedAt");

    private final DefaultsEdits defaults;

    public DefaultsRoutes(DefaultsEdits defaults) {
        this.defaults = defaults;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(DEFAULTS, AccessRule.read(AppScope.FILTERED), this::list, "limit", "after"),
                Route.get(DEFAULTS + "/{key}", AccessRule.read(AppScope.KEY_IN_PATH), this::get),
                Route.put(DEFAULTS + "/{key}", AccessRule.edit(AppScope.KEY_IN_PATH), this::put, NamedObject.DRY_RUN),
                Route.delete(
                        DEFAULTS + "/{key}",
                        AccessRule.edit(AppScope.KEY_IN_PATH),
                        this::delete,
                        ReasonBody.PARAMETER));
    }

    /** A bound principal sees the cluster's defaults too, because its tasks get them. */
    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit();
        String after = Objects.requireNonNullElse(query.text("after"), "");
        Principal principal = Caller.of(context).principal();
        List<StoredDefaults> seen = defaults.list().stream()
                .filter(one -> one.key().equals(TaskDefaultsStore.CLUSTER)
                        || principal.sees(one.key().substring(TaskDefaultsStore.APP.length())))
                .filter(one -> one.key().compareTo(after) > 0)
                .sorted(Comparator.comparing(StoredDefaults::key))
                .limit(limit + 1L)
                .toList();
        ResponseWriter.page(context, seen, limit, DefaultsRoutes::answer, StoredDefaults::key);
    }

    private void get(Context context) {
        String key = context.pathParam("key");
        ResponseWriter.json(context, 200, answer(defaults.find(key).orElseThrow(() -> unknown(key))));
    }

    private void put(Context context) {
        boolean dryRun = QueryParameters.of(context).flag(NamedObject.DRY_RUN);
        String key = key(context);
        ObjectNode body = RequestBody.object(context);
        Long version =
                NamedObject.version(body, "key", key, TaskDefaultsStore.APP.length() + LimitKey.MAX_LENGTH, READ_ONLY);
        String content = TaskDefaultsReader.normalized(body);
        if (dryRun) {
            ResponseWriter.json(context, 200, members(key, content));
            return;
        }
        TaskDefaultsStore.PutResult put = defaults.put(key, content, version);
        switch (put.outcome()) {
            case CREATED -> ResponseWriter.created(context, NamedObject.path(DEFAULTS, key), answer(put.defaults()));
            case REPLACED -> ResponseWriter.json(context, 200, answer(put.defaults()));
            case CONFLICT ->
                throw KIND.conflict(
                        put.defaults() == null ? null : put.defaults().version());
            default ->
                throw new ProblemException(
                        ProblemType.CONFLICT,
                        "there are already defaults of " + TaskDefaultsStore.MAX_KEYS + " apps; remove some first");
        }
    }

    private void delete(Context context) {
        String key = context.pathParam("key");
        if (!defaults.remove(key)) {
            throw unknown(key);
        }
        context.status(204);
    }

    private static ObjectNode answer(StoredDefaults stored) {
        ObjectNode json = members(stored.key(), stored.content());
        json.put("version", stored.version());
        json.put("createdAt", Instants.text(stored.createdAtMillis()));
        json.put("updatedAt", Instants.text(stored.updatedAtMillis()));
        return json;
    }

    private static ObjectNode members(String key, String content) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("key", key);
        return json.setAll((ObjectNode) StrictJson.readStored(content));
    }

    private static String key(Context context) {
        String key = context.pathParam("key");
        boolean isApp = key.startsWith(TaskDefaultsStore.APP) && LimitKey.isWellFormed(key);
        if (!isApp && !key.equals(TaskDefaultsStore.CLUSTER)) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "the key of defaults must be " + TaskDefaultsStore.CLUSTER + ", or " + TaskDefaultsStore.APP
                            + " followed by an app");
        }
        return key;
    }

    private static ProblemException unknown(String key) {
        return new ProblemException(ProblemType.NOT_FOUND, "there are no defaults of \"" + key + "\"");
    }
}
