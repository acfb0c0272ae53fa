package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.Values;
import java.util.List;

/** Reads a task's handler from JSON, and writes it back with its defaults. */
final class HandlerReader {
    private static final List<String> TYPES = List.of("http", "sql", "shell", "java", "log");
    private static final int MAX_KEY = 200;
    private static final int MAX_MESSAGE = 10_000;

    private HandlerReader() {}

    /**
     * @param sample values for checking its templates
     * @return null if an error was collected
     */
    static HandlerSpec read(Fields handler, ObjectNode normalized, Values sample) {
        String type = handler.requiredLine("type", 100);
        if (type == null) {
            return null;
        }
        normalized.put("type", type);
        HandlerSpec spec = read(type, handler, normalized, sample);
        if (TYPES.contains(type)) {
            handler.refuseUnknown();
        }
        return spec;
    }

    private static HandlerSpec read(String type, Fields handler, ObjectNode normalized, Values sample) {
        return switch (type) {
            case "http" -> HttpCallReader.read(handler, normalized, sample);
            case "sql" -> SqlReader.read(handler, normalized, sample);
            case "shell" -> ShellReader.read(handler, normalized);
            case "log" -> logLine(handler, normalized);
            case "java" -> javaCode(handler, normalized);
            default -> refuse(type, handler);
        };
    }

    private static HandlerSpec refuse(String type, Fields handler) {
        return handler.error("type", "must be one of " + TYPES + NearestName.hint(type, TYPES));
    }

    /** The message is optional, because the log line names its task anyway. */
    private static HandlerSpec logLine(Fields handler, ObjectNode normalized) {
        JsonNode given = handler.json("message");
        String message = given == null || given.isTextual() && given.textValue().isEmpty()
                ? ""
                : handler.line("message", MAX_MESSAGE);
        normalized.put("message", message);
        return new HandlerSpec.LogLine(message);
    }

    private static HandlerSpec javaCode(Fields handler, ObjectNode normalized) {
        String key = handler.requiredLine("key", MAX_KEY);
        normalized.put("key", key);
        return new HandlerSpec.JavaCode(key);
    }
}
