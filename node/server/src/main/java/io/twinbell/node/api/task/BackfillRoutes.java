package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.persistence.task.Task;
import java.util.List;
import java.util.function.ToLongFunction;

/** Routes for backfill: they run slots of a past span that the task did not owe at that time. */
public final class BackfillRoutes {
    private final ApiStores stores;
    private final TaskSlots slots;

    public BackfillRoutes(ApiStores stores, TaskSlots slots) {
        this.stores = stores;
        this.slots = slots;
    }

    public List<Route> routes() {
        String byId = ApiPaths.TASKS + "/{id}/backfill";
        String byName = ApiPaths.NAMED_TASK + "/backfill";
        ToLongFunction<Context> named = context -> NamedTaskRoutes.id(stores.tasks(), NamedTaskRoutes.key(context));
        AccessRule ofTask = AccessRule.operate(AppScope.TASK_IN_PATH);
        AccessRule ofApp = AccessRule.operate(AppScope.APP_IN_PATH);
        return List.of(
                Route.post(byId, ofTask, context -> backfill(context, TaskRoutes.id(context))),
                Route.post(byName, ofApp, context -> backfill(context, named.applyAsLong(context))),
                Route.delete(byId, ofTask, context -> cancel(context, TaskRoutes.id(context)), ReasonBody.PARAMETER),
                Route.delete(
                        byName, ofApp, context -> cancel(context, named.applyAsLong(context)), ReasonBody.PARAMETER));
    }

    private void backfill(Context context, long id) {
        ObjectNode body = RequestBody.object(context);
        Task task = stores.tasks().find(id).orElseThrow(() -> TaskRoutes.unknown(id));
        ResponseWriter.json(context, 200, slots.backfill(task, body).orElseThrow(() -> TaskRoutes.unknown(id)));
    }

    private void cancel(Context context, long id) {
        stores.tasks().find(id).orElseThrow(() -> TaskRoutes.unknown(id));
        ResponseWriter.json(
                context,
                200,
                JsonNodeFactory.instance.objectNode().put("taskId", id).put("cancelled", slots.cancelBackfill(id)));
    }
}
