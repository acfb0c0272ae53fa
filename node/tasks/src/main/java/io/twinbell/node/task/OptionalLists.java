package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/**
 * Leaves out empty lists where a list is optional. Java clients that are generated from the API's description send one for
 * each list that the program has not set.
 */
final class OptionalLists {
    private static final Map<String, List<String>> OPTIONAL = Map.of(
            "schedule", List.of("rdate", "exdate"),
            "handler", List.of("successCodes"),
            "retry", List.of("onlyOn", "notOn"));

    private OptionalLists() {}

    /** Returns the same task if it has none, else a copy. */
    static JsonNode withoutEmpty(JsonNode task) {
        JsonNode result = task;
        for (Map.Entry<String, List<String>> place : OPTIONAL.entrySet()) {
            for (String name : place.getValue()) {
                JsonNode value = result.path(place.getKey()).path(name);
                if (value.isArray() && value.isEmpty()) {
                    result = result == task ? task.deepCopy() : result;
                    ((ObjectNode) result.get(place.getKey())).remove(name);
                }
            }
        }
        return result;
    }
}
