package io.twinbell.lab;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.verify.NodeAnswers;

/**
 * An entry of the pair's role history.
 *
 * @param atMillis by the database's clock
 * @param heapMillis the part of the takeover after its epoch was opened
 */
record RoleHistoryEntry(long atMillis, String node, String to, long epoch, long heapMillis) {
    static RoleHistoryEntry of(JsonNode entry) {
        long heap = 0;
        for (JsonNode step : entry.path("steps")) {
            if (step.path("step").asText().equals("rebuild")) {
                heap = step.path("micros").asLong() / 1000;
            }
        }
        return new RoleHistoryEntry(
                NodeAnswers.millis(entry, "at").orElseThrow(),
                entry.path("node").asText(),
                entry.path("to").asText(),
                entry.path("epoch").asLong(),
                heap);
    }

    boolean is(String role) {
        return to.equals(role);
    }
}
