package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.client.ExactJson;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Leaves out jobs that no pair would accept, with the reason. So the file of tasks can be applied, and one bad job does
 * not keep the others from being imported.
 */
public final class ImportChecks {
    private static final int MAX_NAME = 200;
    /** The pair's limit for the data of a task, in bytes of JSON. */
    private static final int MAX_DATA = 64 * 1024;
    /** Above the pair's limit for a handler, which does not count names and escapes. */
    private static final int MAX_HANDLER = 2 * MAX_DATA;

    private static final int MAX_COMMAND = 64 * 1024;
    private static final int MAX_CRON = 1_000;

    private ImportChecks() {}

    /** The same jobs; those that fail a check are not imported. */
    public static List<ImportCandidate> checked(List<ImportCandidate> candidates) {
        List<ImportCandidate> checked = new ArrayList<>();
        Map<String, String> names = new HashMap<>();
        for (ImportCandidate one : candidates) {
            String obstacle = one.isTaken() ? obstacle(one, names) : null;
            checked.add(obstacle == null ? one : ImportCandidate.left(one.where(), one.description(), obstacle));
        }
        return checked;
    }

    private static String obstacle(ImportCandidate one, Map<String, String> names) {
        ObjectNode task = one.task();
        for (String member : List.of("app", "name")) {
            String text = task.path(member).asText();
            int length = text.codePointCount(0, text.length());
            if (length == 0 || length > MAX_NAME) {
                return "its " + member + " must have 1 to " + MAX_NAME + " characters, not " + length;
            }
            if (ControlCharacters.isIn(text)) {
                return "its " + member + " contains " + ControlCharacters.NAMED;
            }
        }
        for (Map.Entry<String, Integer> limit :
                Map.of("data", MAX_DATA, "handler", MAX_HANDLER).entrySet()) {
            if (isLonger(task.path(limit.getKey()), limit.getValue())) {
                return "its " + limit.getKey() + " is longer than " + limit.getValue() + " bytes";
            }
        }
        if (commandBytes(task.path("handler")) > MAX_COMMAND) {
            return "its command and variables have more than " + MAX_COMMAND + " bytes";
        }
        if (task.at("/schedule/cron").asText().length() > MAX_CRON) {
            return "its cron expression is longer than " + MAX_CRON + " characters";
        }
        if (hasForbidden(task)) {
            return "contains a zero byte or half of a character, which PostgreSQL cannot store";
        }
        String zone = task.at("/schedule/zone").asText("");
        if (!zone.isEmpty() && !isZone(zone)) {
            return "its time zone " + zone + " is unknown";
        }
        String name = task.path("name").asText();
        String before = names.putIfAbsent(name, one.where());
        return before == null ? null : "becomes " + name + ", as " + before + " does";
    }

    /** Counted as the pair does. */
    private static int commandBytes(JsonNode handler) {
        List<String> words = new ArrayList<>();
        handler.path("command").forEach(word -> words.add(word.asText()));
        Map<String, String> variables = new HashMap<>();
        handler.path("environment")
                .properties()
                .forEach(one -> variables.put(one.getKey(), one.getValue().asText()));
        return (words.toString() + variables).getBytes(StandardCharsets.UTF_8).length;
    }

    private static boolean isZone(String name) {
        try {
            return ZoneId.of(name) != null;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** As JSON in UTF-8, where a text that occurs often counts as often. */
    private static boolean isLonger(JsonNode node, int bytes) {
        if (node.isMissingNode()) {
            return false;
        }
        LimitedCount count = new LimitedCount(bytes);
        try {
            ExactJson.mapper().writeValue(count, node);
            return false;
        } catch (IOException e) {
            if (count.left >= 0) {
                throw new UncheckedIOException(e);
            }
            return true;
        }
    }

    /** Ends the writing when the limit is passed. */
    private static final class LimitedCount extends OutputStream {
        private int left;

        LimitedCount(int bytes) {
            left = bytes;
        }

        @Override
        public void write(int octet) throws IOException {
            take(1);
        }

        @Override
        public void write(byte[] octets, int start, int length) throws IOException {
            take(length);
        }

        private void take(int length) throws IOException {
            left -= length;
            if (left < 0) {
                throw new IOException("too long");
            }
        }
    }

    private static boolean hasForbidden(JsonNode node) {
        if (node.isTextual()) {
            return isForbidden(node.textValue());
        }
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            if (isForbidden(member.getKey()) || hasForbidden(member.getValue())) {
                return true;
            }
        }
        for (JsonNode child : node.isArray() ? node : List.<JsonNode>of()) {
            if (hasForbidden(child)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isForbidden(String text) {
        return text.codePoints().anyMatch(one -> one == 0 || Character.getType(one) == Character.SURROGATE);
    }
}
