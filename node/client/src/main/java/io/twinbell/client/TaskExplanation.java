package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * Why a task ran, did not run, or will run at an instant.
 *
 * @param cause for programs, such as {@code RAN} or {@code EXCLUDED_BY_CALENDAR}; later versions may add causes
 * @param sentence for people, with the evidence
 * @param fireTime the fire time that the explanation is about; null if the instant is not a fire time
 * @param previousFireTime the fire time before the instant by the current definition; null if there is none
 * @param nextFireTime the fire time after the instant by the current definition; null if there is none
 * @param executionId the execution that accounts for the instant; null if there is none
 * @param json the whole answer
 */
public record TaskExplanation(
        String cause,
        String sentence,
        Instant fireTime,
        Instant previousFireTime,
        Instant nextFireTime,
        String executionId,
        String json) {
    /** Reads the answer of the HTTP API. */
    public static TaskExplanation of(String json) {
        return of(ClientJson.read(json));
    }

    static TaskExplanation of(JsonNode answer) {
        return new TaskExplanation(
                answer.path("cause").asText(),
                answer.path("sentence").asText(),
                TaskView.instant(answer.get("fireTime")),
                TaskView.instant(answer.get("previousFireTime")),
                TaskView.instant(answer.get("nextFireTime")),
                answer.path("execution").path("id").asText(null),
                answer.toString());
    }
}
