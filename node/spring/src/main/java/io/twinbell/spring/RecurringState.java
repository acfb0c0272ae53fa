package io.twinbell.spring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.TaskEntry;

/** The parts of a stored task that decide whether code may pause or resume it. */
record RecurringState(String key, String state, String pausedBy) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    static RecurringState of(TaskEntry task) {
        try {
            JsonNode json = MAPPER.readTree(task.json());
            return new RecurringState(
                    json.path("handler").path("key").asText(),
                    task.state(),
                    json.path("pausedBy").asText());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the node describes a task in JSON", e);
        }
    }

    boolean isActive() {
        return state.equals("ACTIVE");
    }

    boolean isPausedByCode() {
        return state.equals("PAUSED") && pausedBy.equals(RecurringUpkeep.AUTHOR);
    }
}
