package io.twinbell.node.memory;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.StrictJson;

/** The priority in a stored definition, as {@code twinbell.priority} reads it. */
final class Priorities {
    private static final int USUAL = 5;
    private static final int HIGHEST = 9;

    private Priorities() {}

    static byte of(String definition) {
        JsonNode priority = StrictJson.readStored(definition).path("priority");
        return (byte) (priority.isNumber() ? Math.max(0, Math.min(HIGHEST, priority.asInt())) : USUAL);
    }
}
