package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A task as a node answered.
 *
 * @param state ACTIVE, PAUSED, FINISHED or ERROR
 * @param nextFireTime null if the task will not fire again
 * @param previousFireTime null if the task has not fired
 * @param json the whole task
 */
public record TaskView(
        long id, String app, String name, String state, Instant nextFireTime, Instant previousFireTime, String json) {
    static TaskView of(JsonNode task) {
        return new TaskView(
                task.path("id").asLong(),
                task.path("app").asText(),
                task.path("name").asText(),
                task.path("state").asText(),
                instant(task.get("nextFireTime")),
                instant(task.get("previousFireTime")),
                task.toString());
    }

    static Instant instant(JsonNode text) {
        return text == null || text.isNull() ? null : Instant.parse(text.textValue());
    }
}
