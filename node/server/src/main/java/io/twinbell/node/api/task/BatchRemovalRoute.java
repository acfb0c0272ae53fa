package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.ItemList;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** Route that removes many tasks by app and name, for example to cancel messages that are still to be sent. */
public final class BatchRemovalRoute {
    private static final int MAX_NAME = 200;

    private final ApiStores stores;

    public BatchRemovalRoute(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(Route.post(
                ApiPaths.TASKS + "/batch/remove",
                AccessRule.edit(AppScope.IN_BODY),
                this::remove,
                ReasonBody.PARAMETER));
    }

    private void remove(Context context) {
        List<TaskName> keys = keys(RequestBody.items(context, TaskBatchRoute.MAX_ITEMS, "tasks"));
        TaskAccess access = new TaskAccess(Caller.of(context).principal());
        keys.forEach(key -> access.checkApp(key.app()));
        Map<TaskName, Long> ids = stores.tasks().ids(new HashSet<>(keys));
        TaskDecision removal =
                TaskChanges.remove(TaskChanges.REMOVED, stores.calendars().fresh());
        Map<Long, TaskDecision> removals = new HashMap<>();
        ids.values().forEach(id -> removals.put(id, removal));
        stores.tasks().changeEach(removals);
        ResponseWriter.json(context, 200, answer(keys, ids));
    }

    /** Reads all keys. If one is invalid, the whole request is refused, because the caller's list has an error. */
    private static List<TaskName> keys(ItemList items) {
        List<FieldError> errors = new ArrayList<>();
        List<TaskName> keys = new ArrayList<>(items.items().size());
        for (int i = 0; i < items.items().size(); i++) {
            Fields fields = Fields.of(items.items().get(i), items.pointer() + "/" + i, errors);
            keys.add(new TaskName(fields.requiredLine("app", MAX_NAME), fields.requiredLine("name", MAX_NAME)));
            fields.refuseUnknown();
        }
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return keys;
    }

    private static ObjectNode answer(List<TaskName> keys, Map<TaskName, Long> ids) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode answers = body.putArray("items");
        int removed = 0;
        for (TaskName key : keys) {
            Long id = ids.get(key);
            removed += id == null ? 0 : 1;
            answers.addObject().put("status", id == null ? 404 : 204);
        }
        return body.put("removed", removed).put("unknown", keys.size() - removed);
    }
}
