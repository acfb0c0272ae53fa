package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Set;

/**
 * How a slot of a task ended.
 *
 * @param state SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, SKIPPED, MISSED or DROPPED
 * @param attempt the number of the last attempt
 * @param output what the handler returned; may be null
 * @param error the error text; may be null
 * @param errorCode the stable kind of the error; may be null
 * @param reason why the slot did not run or was not tried again; may be null
 */
public record TaskOutcome(
        String executionId,
        Instant fireTime,
        String state,
        int attempt,
        String output,
        String error,
        String errorCode,
        String reason) {
    private static final Set<String> ENDED =
            Set.of("SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED", "SKIPPED", "MISSED", "DROPPED");

    public boolean isSuccess() {
        return state.equals("SUCCEEDED");
    }

    static boolean hasEnded(JsonNode execution) {
        return ENDED.contains(execution.path("state").asText());
    }

    static TaskOutcome of(JsonNode execution) {
        return new TaskOutcome(
                execution.path("id").asText(),
                TaskView.instant(execution.get("fireTime")),
                execution.path("state").asText(),
                execution.path("attempt").asInt(),
                execution.path("output").textValue(),
                execution.path("error").textValue(),
                execution.path("errorCode").textValue(),
                execution.path("reason").textValue());
    }
}
