package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * An execution as it was read.
 *
 * @param name of the task
 * @param state such as RUNNING or FAILED
 * @param attempt the number of the latest attempt; 0 if there was none
 * @param error the error text of the latest attempt; may be null
 * @param errorCode the stable kind of the error; may be null
 * @param reason why the slot did not run or was not tried again; may be null
 * @param json the whole execution, as the HTTP API answers it
 */
public record ExecutionView(
        String id,
        long taskId,
        String app,
        String name,
        Instant fireTime,
        String state,
        int attempt,
        String error,
        String errorCode,
        String reason,
        String json) {
    /**
     * A page of a list of executions.
     *
     * @param next the cursor of the next page; null on the last page
     */
    public record Listed(List<ExecutionView> items, String next) {}

    /**
     * Reads the JSON of the HTTP API.
     *
     * @throws PayloadException if it is no JSON
     */
    public static ExecutionView of(String json) {
        return of(ClientJson.read(json));
    }

    static ExecutionView of(JsonNode execution) {
        return new ExecutionView(
                execution.path("id").asText(),
                execution.path("taskId").asLong(),
                execution.path("app").asText(),
                execution.path("name").asText(),
                TaskView.instant(execution.get("fireTime")),
                execution.path("state").asText(),
                execution.path("attempt").asInt(),
                execution.path("error").textValue(),
                execution.path("errorCode").textValue(),
                execution.path("reason").textValue(),
                execution.toString());
    }
}
