package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.reader.DefinitionReader;

/** The data of a stored definition, if it starts with it. PostgreSQL writes short members first. */
final class StoredDataPrefix {
    private static final String MEMBER = "{\"data\": ";

    /** The start of a definition with some data. */
    static final String SAMPLE = MEMBER + "[0]";

    private StoredDataPrefix() {}

    /** Returns the position behind the value of the data; 0 if the definition starts with another member. */
    static int end(String json) {
        if (!json.startsWith(MEMBER)) {
            return 0;
        }
        int depth = 0;
        boolean isInText = false;
        for (int i = MEMBER.length(); i < json.length(); i++) {
            char c = json.charAt(i);
            if (isInText) {
                if (c == '\\') {
                    i++;
                } else if (c == '"') {
                    isInText = false;
                }
            } else if (c == '"') {
                isInText = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (depth == 0 && (c == ',' || c == '}')) {
                return i;
            } else if (c == '}' || c == ']') {
                depth--;
            }
        }
        return 0;
    }

    /** Returns the definition with the data of this text; null if the text must be read whole. */
    static TaskDefinition read(String json, int end, TaskDefinition definition) {
        JsonNode data = StrictJson.readStored(json.substring(MEMBER.length(), end));
        if (DefinitionReader.isTooDeep(data)) {
            return null;
        }
        return definition.withData(data.isNull() ? null : StrictJson.write(data));
    }
}
