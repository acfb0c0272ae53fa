package io.twinbell.node.memory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.task.Task;
import java.util.List;

/** The definition of a task for one of its runs, as {@code twinbell.run_definition} and {@code ClaimColumns} make it. */
final class RunDefinitions {
    private RunDefinitions() {}

    static Attempt attempt(MemoryTables tables, MemoryRow row) {
        Task task = tables.tasks.get(row.slot.taskId());
        return new Attempt(
                row.slot,
                row.app,
                row.name,
                row.attempt,
                row.epoch,
                row.node,
                task == null ? null : of(task.content().definition(), row),
                row.inTurn,
                task == null ? List.of() : task.content().tags(),
                snoozes(row),
                new Attempt.Origin(row.origin, 0));
    }

    private static Attempt.Snoozes snoozes(MemoryRow row) {
        if (row.snoozes == 0) {
            return Attempt.Snoozes.NONE;
        }
        return new Attempt.Snoozes(
                row.snoozes, row.snoozedSinceMillis == null ? Long.MAX_VALUE : row.snoozedSinceMillis);
    }

    private static String of(String definition, MemoryRow row) {
        boolean isPlanned = row.origin == null && row.attempt == 1 && (row.queued || !row.inTurn);
        boolean mayExpire = definition.contains("\"expireAfter\"");
        if ((isPlanned || !mayExpire) && row.parent == null && row.data == null) {
            return definition;
        }
        ObjectNode json = (ObjectNode) StrictJson.readStored(definition);
        if (row.data != null) {
            json.set("data", StrictJson.readStored(row.data));
        }
        if (row.parent != null) {
            json.set("data", withParent(json.get("data"), StrictJson.readStored(row.parent)));
        }
        if (!isPlanned) {
            json.remove("expireAfter");
        }
        return StrictJson.write(json);
    }

    private static ObjectNode withParent(JsonNode data, JsonNode parent) {
        ObjectNode with = data instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode();
        if (data != null && data != with) {
            with.set("value", data);
        }
        return with.set("parent", parent);
    }
}
