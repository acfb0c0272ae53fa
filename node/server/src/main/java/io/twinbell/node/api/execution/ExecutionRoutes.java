package io.twinbell.node.api.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.task.TaskRoutes;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionStatistics;
import io.twinbell.node.json.Instants;
import io.twinbell.node.task.OwedSlots;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Routes that read executions from the ledger. */
public final class ExecutionRoutes {
    /** Brief entries are small, so their pages may be longer. */
    private static final int MAX_BRIEF = 10_000;

    private static final int MAX_WHOLE = 1000;
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final String[] OF_A_TASK = {
        "state",
        "from",
        "until",
        "node",
        "epoch",
        "errorCode",
        "inDoubt",
        "order",
        "brief",
        "following",
        "limit",
        "after"
    };
    private static final String[] OF_ALL = {
        "task",
        "app",
        "name",
        "tag",
        "state",
        "from",
        "until",
        "node",
        "epoch",
        "errorCode",
        "inDoubt",
        "order",
        "brief",
        "limit",
        "after"
    };

    private final ApiStores stores;

    private enum Order {
        newest,
        oldest
    }

    public ExecutionRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.EXECUTIONS, AccessRule.read(AppScope.APP_IN_QUERY), this::list, OF_ALL),
                Route.get(ApiPaths.EXECUTIONS + "/{id}", AccessRule.read(AppScope.EXECUTION_IN_PATH), this::get),
                Route.get(
                        ApiPaths.TASKS + "/{id}/executions",
                        AccessRule.read(AppScope.TASK_IN_PATH),
                        this::ofTask,
                        OF_A_TASK),
                Route.get(
                        ApiPaths.TASKS + "/{id}/statistics",
                        AccessRule.read(AppScope.TASK_IN_PATH),
                        this::statistics,
                        "from",
                        "until"));
    }

    private void get(Context context) {
        String id = context.pathParam("id");
        Execution execution = ExecutionJson.slot(id)
                .flatMap(stores.executions()::find)
                .orElseThrow(() -> new ProblemException(ProblemType.NOT_FOUND, "there is no execution " + id));
        ResponseWriter.json(context, 200, ExecutionJson.whole(execution));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        page(context, query, query.id("task"), json(query.flag("brief")));
    }

    /** The ledger outlives its tasks: a task is unknown only if neither the task nor any execution exists. */
    private void ofTask(Context context) {
        long id = known(context);
        QueryParameters query = QueryParameters.of(context);
        Function<Execution, JsonNode> json = json(query.flag("brief"));
        page(context, query, id, query.flag("following") ? following(id, json) : json);
    }

    private static Function<Execution, JsonNode> json(boolean brief) {
        return brief ? ExecutionJson::brief : ExecutionJson::answer;
    }

    /**
     * Adds to each execution the fire time that its end leads to by the current definition, so that a client can
     * compare it with the next row.
     */
    private Function<Execution, JsonNode> following(long id, Function<Execution, JsonNode> json) {
        Task task = stores.tasks().find(id).orElseThrow(() -> TaskRoutes.unknown(id));
        OwedSlots owed = VerificationRoutes.owed(
                task, OptionalLong.empty(), stores.calendars().fresh());
        return execution -> {
            OptionalLong end = execution.times().endedMillis();
            OptionalLong next = end.isPresent() ? owed.following(end.getAsLong()) : end;
            ObjectNode row = (ObjectNode) json.apply(execution);
            return row.put("followedAt", ExecutionJson.instantOrNull(next));
        };
    }

    private long known(Context context) {
        long id = TaskRoutes.id(context);
        if (!stores.executions().knows(id)) {
            throw TaskRoutes.unknown(id);
        }
        return id;
    }

    private void page(Context context, QueryParameters query, Long taskId, Function<Execution, JsonNode> json) {
        boolean brief = query.flag("brief");
        int limit = query.limit(brief ? MAX_BRIEF : MAX_WHOLE);
        boolean oldestFirst = query.choice("order", Order.class) == Order.oldest;
        List<Execution> found = stores.executions()
                .list(filter(query, taskId), new ExecutionPage(after(query), limit + 1, oldestFirst, brief));
        ResponseWriter.page(context, found, limit, json, ExecutionJson::id);
    }

    static ExecutionFilter filter(QueryParameters query, Long taskId) {
        return new ExecutionFilter(
                new ExecutionFilter.OfTask(taskId, query.text("app"), query.text("name"), query.text("tag")),
                query.choices("state", ExecutionState.class),
                query.instant("from"),
                query.instant("until"),
                query.text("node"),
                query.id("epoch"),
                query.text("errorCode"),
                query.flag("inDoubt"));
    }

    private static Slot after(QueryParameters query) {
        String cursor = query.text("after");
        return cursor == null
                ? null
                : ExecutionJson.slot(cursor)
                        .orElseThrow(() ->
                                QueryParameters.refusal("after", "is not a cursor: use \"next\" of the previous page"));
    }

    private void statistics(Context context) {
        long id = known(context);
        QueryParameters query = QueryParameters.of(context);
        Long until = query.instant("until");
        long untilMillis = until == null ? stores.clock().nowMillis() : until;
        Long from = query.instant("from");
        long fromMillis = from == null ? Math.max(0, untilMillis - DAY) : from;
        ResponseWriter.json(
                context,
                200,
                statistics(fromMillis, untilMillis, stores.executions().statistics(id, fromMillis, untilMillis)));
    }

    private static ObjectNode statistics(long fromMillis, long untilMillis, ExecutionStatistics counted) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", Instants.text(fromMillis));
        json.put("until", Instants.text(untilMillis));
        ObjectNode states = json.putObject("states");
        for (ExecutionStatistics.Count count : counted.states()) {
            states.putObject(count.state().name())
                    .put("executions", count.executions())
                    .put("slots", count.slots());
        }
        spread(json.putObject("durationMillis"), counted.duration());
        spread(json.putObject("latenessMillis"), counted.lateness());
        return json;
    }

    private static void spread(ObjectNode json, ExecutionStatistics.Percentiles percentiles) {
        json.put("median", ExecutionJson.numberOrNull(percentiles.median()));
        json.put("p99", ExecutionJson.numberOrNull(percentiles.p99()));
        json.put("max", ExecutionJson.numberOrNull(percentiles.max()));
    }
}
