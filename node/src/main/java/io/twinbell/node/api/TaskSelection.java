package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.http.Context;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskState;
import java.util.List;

/** What can be done with all tasks that a filter means. */
final class TaskSelection {
    private static final String[] FILTERS = {"app", "tag", "owner", "state", "handler", "q"};
    private static final String[] LISTED = {"app", "tag", "owner", "state", "handler", "q", "limit", "after"};

    private final HttpApi.Stores stores;

    TaskSelection(HttpApi.Stores stores) {
        this.stores = stores;
    }

    List<Route> routes() {
        return List.of(
                Route.get(TaskRoutes.TASKS, this::list, LISTED),
                Route.delete(TaskRoutes.TASKS, this::clear, FILTERS),
                Route.post(TaskRoutes.TASKS + "/pause", this::pause, FILTERS),
                Route.post(TaskRoutes.TASKS + "/resume", this::resume, FILTERS));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit();
        Answer.page(
                context,
                stores.tasks().list(filter(query), after(query), limit + 1),
                limit,
                TaskJson::answer,
                task -> Long.toString(task.id()));
    }

    private void clear(Context context) {
        changeAll(
                context,
                TaskChanges.remove(TaskChanges.REMOVED, stores.calendars().fresh()));
    }

    private void pause(Context context) {
        PauseWish wish = PauseWish.of(RequestBody.objectIfAny(context), stores.clock());
        changeAll(context, TaskChanges.pauseActive(wish.reason(), wish.pause()));
    }

    private void resume(Context context) {
        Reason.of(RequestBody.objectIfAny(context));
        changeAll(context, TaskChanges.resume(stores.calendars().fresh()));
    }

    private void changeAll(Context context, TaskDecision decision) {
        TaskFilter filter = filter(QueryParameters.of(context));
        if (filter.meansEveryTask()) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "say which tasks are meant, by at least one of app, tag, owner, state, handler and q"
                            + " (to hold all firing there is POST " + ClusterRoutes.CLUSTER + "/pause)");
        }
        long changed = stores.tasks().changeAll(filter, decision);
        Answer.json(context, 200, JsonNodeFactory.instance.objectNode().put("changed", changed));
    }

    private static TaskFilter filter(QueryParameters query) {
        return new TaskFilter(
                query.text("app"),
                query.text("tag"),
                query.text("owner"),
                query.choice("state", TaskState.class),
                query.text("handler"),
                query.text("q"));
    }

    private static long after(QueryParameters query) {
        String cursor = query.text("after");
        try {
            return cursor == null ? 0 : Long.parseLong(cursor);
        } catch (NumberFormatException e) {
            throw QueryParameters.refusal("after", "is not a cursor: take it from \"next\" of the page before");
        }
    }
}
