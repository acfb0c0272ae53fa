package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.Member;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.reader.TaskMembers;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.OptionalLong;

/** Writes a stored task as JSON, as the OpenAPI document defines it. */
public final class TaskJson {
    private TaskJson() {}

    /** Returns the whole task, as answers show it. */
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
            // The definition was written without the API. The list of tasks must not fail because of it.
            json.put("app", task.content().app());
            json.put("name", task.content().name());
            json.put("definitionError", e.getMessage());
        }
        if (progress.state() == TaskState.ERROR) {
            json.put("definitionError", progress.reason());
        }
        json.put("enabled", progress.state() != TaskState.PAUSED);
        return json;
    }

    /** Returns the part of the task that users write, to which a merge patch is applied. */
    static ObjectNode editable(Task task) {
        return editable(task.content());
    }

    /**
     * Returns the part of the task that users write, with every default.
     *
     * @throws InvalidJsonException if the definition was written without the API and cannot be read
     */
    public static ObjectNode editable(TaskContent content) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("app", content.app());
        json.put("name", content.name());
        json.put("owner", content.owner());
        ArrayNode tags = json.putArray("tags");
        content.tags().forEach(tags::add);
        JsonNode definition = StrictJson.readStored(content.definition());
        // The database stores the members in an order of its own.
        for (Member<?> member : TaskMembers.ALL) {
            if (definition.has(member.name())) {
                json.set(member.name(), definition.get(member.name()));
            }
        }
        definition.properties().forEach(member -> json.putIfAbsent(member.getKey(), member.getValue()));
        return json;
    }

    private static String text(OptionalLong millis) {
        return millis.isPresent() ? Instants.text(millis.getAsLong()) : null;
    }
}
