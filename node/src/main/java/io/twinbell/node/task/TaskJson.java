package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.List;
import java.util.OptionalLong;

/** Writes a stored task as the contract shows it. */
public final class TaskJson {
    /** The database keeps members in an order of its own; people read them in this one. */
    private static final List<String> ORDER = List.of(
            "schedule",
            "start",
            "end",
            "calendars",
            "maxRuns",
            "jitter",
            "handler",
            "timeout",
            "retry",
            "misfire",
            "overlap",
            "orphan",
            "onDoubt",
            "pauseOnFailure",
            "priority",
            "concurrencyKey",
            "then",
            "thenOnFailure",
            "data");

    private TaskJson() {}

    /** The whole task, as answers show it. */
    public static ObjectNode answer(Task task) {
        TaskProgress progress = task.progress();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", task.id());
        json.put("version", task.version());
        json.put("state", progress.state().name());
        json.put("stateReason", progress.reason());
        if (progress.state() == TaskState.PAUSED) {
            json.put("pausedBy", progress.pause().by());
            json.put("pausedUntil", text(progress.pause().untilMillis()));
        }
        json.put("nextFireTime", text(progress.nextFireMillis()));
        json.put("previousFireTime", text(progress.previousFireMillis()));
        json.put("runs", progress.runs());
        json.put("createdAt", Instants.text(task.createdAtMillis()));
        json.put("updatedAt", Instants.text(task.updatedAtMillis()));
        try {
            json.setAll(editable(task));
        } catch (InvalidJsonException e) {
            // Somebody wrote it past the API. The list of tasks is not to fail for it.
            json.put("app", task.content().app());
            json.put("name", task.content().name());
            json.put("definitionError", e.getMessage());
        }
        json.put("enabled", progress.state() != TaskState.PAUSED);
        return json;
    }

    /** The part that people write: what a merge-patch is merged into. */
    static ObjectNode editable(Task task) {
        return editable(task.content());
    }

    /**
     * The part that people write, with every default.
     *
     * @throws InvalidJsonException if it was written past the API, and can't be read
     */
    public static ObjectNode editable(TaskContent content) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("app", content.app());
        json.put("name", content.name());
        json.put("owner", content.owner());
        ArrayNode tags = json.putArray("tags");
        content.tags().forEach(tags::add);
        JsonNode definition = StrictJson.readStored(content.definition());
        for (String member : ORDER) {
            if (definition.has(member)) {
                json.set(member, definition.get(member));
            }
        }
        definition.properties().forEach(member -> json.putIfAbsent(member.getKey(), member.getValue()));
        return json;
    }

    private static String text(OptionalLong millis) {
        return millis.isPresent() ? Instants.text(millis.getAsLong()) : null;
    }
}
