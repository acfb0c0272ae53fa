package io.twinbell.node.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.task.NewTask;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Creates many tasks in one transaction. What is wrong with one item keeps no other from being stored. */
final class TaskBatch {
    private static final int MAX_ITEMS = 10_000;

    private final HttpApi.Stores stores;

    TaskBatch(HttpApi.Stores stores) {
        this.stores = stores;
    }

    List<Route> routes() {
        return List.of(Route.post(TaskRoutes.TASKS + "/batch", this::create));
    }

    private void create(Context context) {
        JsonNode items = items(RequestBody.batch(context));
        long nowMillis = stores.clock().nowMillis();
        List<Item> read = new ArrayList<>();
        items.forEach(item -> read.add(Item.of(item, nowMillis, stores.handlers())));
        List<OptionalLong> ids = stores.tasks()
                .insertAll(read.stream()
                        .filter(item -> item.problem() == null)
                        .map(Item::task)
                        .toList());
        Answer.json(context, 200, answer(read, ids));
    }

    private static JsonNode items(JsonNode body) {
        if (body.isArray()) {
            return checked("", body);
        }
        body.fieldNames().forEachRemaining(name -> {
            if (!name.equals("items")) {
                throw new InvalidJsonException("/" + name, "unknown field");
            }
        });
        return checked("/items", body.path("items"));
    }

    private static JsonNode checked(String pointer, JsonNode items) {
        if (!items.isArray()) {
            throw new InvalidJsonException(pointer, "must be a list of tasks");
        }
        if (items.size() > MAX_ITEMS) {
            throw new InvalidJsonException(
                    pointer, "has " + items.size() + " tasks; at most " + MAX_ITEMS + " go in a batch");
        }
        return items;
    }

    private record Item(NewTask task, Problem problem) {
        static Item of(JsonNode json, long nowMillis, HandlerSwitches handlers) {
            try {
                NewTask task = TaskReader.newTask(json, nowMillis);
                handlers.check(json);
                return new Item(task, null);
            } catch (RuntimeException e) {
                return new Item(null, Problems.ofItem(e));
            }
        }
    }

    private static ObjectNode answer(List<Item> read, List<OptionalLong> ids) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode answers = body.putArray("items");
        int created = 0;
        int next = 0;
        for (Item item : read) {
            if (item.problem() != null) {
                refused(answers, item.problem());
                continue;
            }
            OptionalLong id = ids.get(next++);
            if (id.isEmpty()) {
                refused(answers, TaskRoutes.nameTaken(item.task()));
            } else {
                answers.addObject()
                        .put("status", 201)
                        .put("id", id.getAsLong())
                        .put("location", TaskRoutes.location(id.getAsLong()));
                created++;
            }
        }
        return body.put("created", created).put("refused", read.size() - created);
    }

    private static void refused(ArrayNode answers, Problem problem) {
        answers.addObject().put("status", problem.type().status()).set("problem", problem.json(null));
    }
}
