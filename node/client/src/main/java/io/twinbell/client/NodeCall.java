package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One request to either node.
 *
 * @param path with its query
 * @param body null for none
 * @param repeatable whether a repetition after a lost answer has no further effect
 */
record NodeCall(String method, String path, JsonNode body, boolean repeatable) {
    static NodeCall get(String path) {
        return new NodeCall("GET", path, null, true);
    }
}
