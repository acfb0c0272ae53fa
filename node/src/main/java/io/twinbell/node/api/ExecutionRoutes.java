package io.twinbell.node.api;

import io.javalin.http.Context;
import io.twinbell.persistence.ledger.Execution;
import io.twinbell.persistence.ledger.ExecutionFilter;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Set;

/** Reading the ledger, newest fire time first. */
final class ExecutionRoutes {
    static final String EXECUTIONS = "/api/v1/executions";

    private final HttpApi.Stores stores;

    ExecutionRoutes(HttpApi.Stores stores) {
        this.stores = stores;
    }

    List<Route> routes() {
        return List.of(
                Route.get(EXECUTIONS, this::list),
                Route.get(EXECUTIONS + "/{id}", this::get),
                Route.get(TaskRoutes.TASKS + "/{id}/executions", this::ofTask));
    }

    private void get(Context context) {
        String id = context.pathParam("id");
        Execution execution = ExecutionJson.slot(id)
                .flatMap(stores.executions()::find)
                .orElseThrow(() -> new ProblemException(ProblemType.NOT_FOUND, "there is no execution " + id));
        Answer.json(context, 200, ExecutionJson.whole(execution));
    }

    private void list(Context context) {
        QueryParameters query =
                QueryParameters.of(context, Set.of("app", "name", "tag", "state", "from", "until", "limit", "after"));
        page(context, query, filter(query, null));
    }

    /** The ledger survives its task, so only a task that has neither is unknown. */
    private void ofTask(Context context) {
        long id = TaskRoutes.id(context);
        QueryParameters query = QueryParameters.of(context, Set.of("state", "from", "until", "limit", "after"));
        boolean known = stores.tasks().find(id).isPresent()
                || !stores.executions()
                        .list(ExecutionFilter.ofTask(id), null, 1)
                        .isEmpty();
        if (!known) {
            throw TaskRoutes.unknown(id);
        }
        page(context, query, filter(query, id));
    }

    private void page(Context context, QueryParameters query, ExecutionFilter filter) {
        int limit = query.limit();
        List<Execution> found = stores.executions().list(filter, after(query), limit + 1);
        Answer.page(context, found, limit, ExecutionJson::answer, ExecutionJson::id);
    }

    static ExecutionFilter filter(QueryParameters query, Long taskId) {
        return new ExecutionFilter(
                taskId,
                query.text("app"),
                query.text("name"),
                query.text("tag"),
                query.choice("state", ExecutionState.class),
                query.instant("from"),
                query.instant("until"));
    }

    private static Slot after(QueryParameters query) {
        String cursor = query.text("after");
        return cursor == null
                ? null
                : ExecutionJson.slot(cursor)
                        .orElseThrow(() -> QueryParameters.refusal(
                                "after", "is not a cursor: take it from \"next\" of the page before"));
    }
}
