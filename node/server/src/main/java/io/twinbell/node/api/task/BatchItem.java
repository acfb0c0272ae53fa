package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.exchange.HandlerPolicy;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.Problem.ErrorBudget;
import io.twinbell.node.api.exchange.Problems;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.node.task.TaskListReader;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskName;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** One task of a batch request, with its result. */
final class BatchItem {
    private final JsonNode json;
    private final Calendars calendars;
    private NewTask task;
    private Problem problem;
    private ItemResult itemResult;
    private boolean previewed;
    private long id;

    /** The result of an item, as the answer counts it. */
    enum ItemResult {
        CREATED,
        /** A task of that name existed: it was kept or replaced, as requested. */
        EXISTING,
        REFUSED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private BatchItem(JsonNode json, Calendars calendars) {
        this.json = json;
        this.calendars = calendars;
    }

    static BatchItem of(
            JsonNode json, TaskListReader reader, Calendars calendars, HandlerPolicy handlers, TaskAccess access) {
        BatchItem item = new BatchItem(json, calendars);
        try {
            ControlCharacterCheck.check(json);
            access.check(json);
            item.task = reader.newTask(json);
            handlers.check(json);
        } catch (RuntimeException e) {
            item.refused(Problems.ofItem(e));
        }
        return item;
    }

    /** Whether the item has no result yet. */
    boolean isOpen() {
        return itemResult == null;
    }

    ItemResult itemResult() {
        return itemResult;
    }

    NewTask task() {
        return task;
    }

    TaskName key() {
        return task.content().key();
    }

    void created(long newId) {
        itemResult = ItemResult.CREATED;
        id = newId;
    }

    void existed(long existingId) {
        itemResult = ItemResult.EXISTING;
        id = existingId;
    }

    /**
     * Makes the task a new one, if the item replaced a finished task. The map has the ids of the new tasks by those of
     * the finished ones.
     */
    void succeeded(Map<Long, Long> successors) {
        Long successor = itemResult == ItemResult.EXISTING ? successors.get(id) : null;
        if (successor != null && successor != id) {
            created(successor);
        }
    }

    /** Why the item was refused; null if it was not. */
    Problem problem() {
        return problem;
    }

    /** Sets the result that a dry run predicts. Nothing is stored; the answer shows the task as it would be. */
    void wouldBe(ItemResult fateToCome) {
        itemResult = fateToCome;
        previewed = true;
    }

    void refused(Problem why) {
        itemResult = ItemResult.REFUSED;
        problem = why;
    }

    /**
     * Returns the decision that replaces the existing task of that name. If the replacement is refused, this task
     * stays as it is, and the other items are not affected.
     */
    TaskDecision replacement() {
        return (current, nowMillis) -> {
            try {
                TaskChange change =
                        TaskChanges.put((ObjectNode) json, calendars).decide(current, nowMillis);
                existed(current.id());
                return change;
            } catch (RuntimeException e) {
                refused(Problems.ofItem(e));
                return new TaskChange.Keep();
            }
        };
    }

    /** @param unknownKeys keys of java handlers that no node has */
    ObjectNode answer(ErrorBudget room, Set<String> unknownKeys) {
        ObjectNode answer = answer(room);
        String key = itemResult == ItemResult.REFUSED ? null : task.content().handlerKey();
        if (key != null && unknownKeys.contains(key)) {
            HandlerPolicy.warn(answer, key);
        }
        return answer;
    }

    private ObjectNode answer(ErrorBudget room) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        if (itemResult == ItemResult.REFUSED) {
            answer.put("status", problem.type().status());
            return answer.set("problem", room.shown(problem).json(null));
        }
        answer.put("status", itemResult == ItemResult.CREATED ? 201 : 200);
        if (previewed) {
            OptionalLong next = task.progress().nextFireMillis();
            answer.put("nextFireTime", next.isPresent() ? Instants.text(next.getAsLong()) : null);
            return answer.set("task", TaskJson.editable(task.content()));
        }
        return answer.put("id", id).put("location", TaskRoutes.location(id));
    }
}
