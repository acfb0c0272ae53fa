package io.twinbell.tools.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reduces an API answer to what people would write: without members that have their default or appear only in answers,
 * and with members in a readable order. Sent again, the result creates the same object.
 */
public final class DefaultsStripper {
    private static final ObjectMapper JSON = new ObjectMapper();
    static final List<String> ONLY_IN_ANSWERS = List.of(
            "id",
            "version",
            "state",
            "stateReason",
            "pausedBy",
            "pausedUntil",
            "nextFireTime",
            "previousFireTime",
            "runs",
            "createdAt",
            "updatedAt",
            "source",
            "running",
            "waiting");
    /** The member of a task that names the values from defaults of its app or of the cluster. */
    private static final String ORIGINS = "origins";

    private static final List<String> FIRST = List.of(
            "cron", "rrule", "dtstart", "every", "at", "in", "mode", "align", "first", "type", "method", "url", "key",
            "from", "to", "count", "policy");
    private static final Map<String, String> OF_A_TASK = Map.of(
            "owner",
            "null",
            "tags",
            "[]",
            "priority",
            "5",
            "overlap",
            "\"SKIP\"",
            "orphan",
            "\"DROP\"",
            "enabled",
            "true");
    private static final Map<String, String> OF_A_MISFIRE =
            Map.of("policy", "\"FIRE_ONCE\"", "threshold", "\"PT30S\"", "max", "100", "order", "\"NEWEST\"");
    private static final Map<String, String> OF_A_CALL = Map.of(
            "headers",
            "{}",
            "successCodes",
            "[\"2xx\"]",
            "connectTimeout",
            "\"PT10S\"",
            "followRedirects",
            "false",
            "completion",
            "\"RESPONSE\"",
            "signature",
            "\"TWINBELL\"");
    private static final Map<String, Map<String, String>> OF_HANDLERS = Map.of(
            "http",
            OF_A_CALL,
            "log",
            Map.of("message", "\"\""),
            "shell",
            Map.of("environment", "{}", "successCodes", "[0]"));
    private static final RetryMembers OF_TASKS = new RetryMembers(1, "PT1S", "PT1M");
    private static final RetryMembers OF_ALERTS = new RetryMembers(10, "PT5S", "PT5M");
    /** A task without a stated start begins at its creation. This tolerance covers the transfer of a large batch. */
    private static final Duration AT_ITS_CREATION = Duration.ofSeconds(5);

    private final ObjectNode brief;

    private DefaultsStripper(ObjectNode answer) {
        brief = answer.deepCopy();
    }

    /**
     * The members to keep in addition to those that people write.
     *
     * @param starts whether to keep starts that equal the creation
     * @param versions whether to keep versions, which guard against concurrent edits
     * @param defaults the members that have a default of the pair: a task's own value of them is kept
     */
    public record KeptMembers(boolean starts, boolean versions, TaskDefaultsIndex defaults) {}

    private record RetryMembers(int maxAttempts, String backoff, String maxBackoff) {}

    /** @param answer an object as the API shows it */
    public static ObjectNode of(ManifestKind kind, ObjectNode answer, KeptMembers keptMembers) {
        DefaultsStripper one = new DefaultsStripper(answer);
        switch (kind) {
            case TASK -> one.task(keptMembers);
            case CALENDAR -> one.calendar(one.brief);
            case ALERT -> one.alert();
            case DEFAULTS -> {}
            default -> one.drop(one.brief, Map.of("maxRunning", "null", "rate", "null"));
        }
        one.brief.remove(ONLY_IN_ANSWERS);
        one.brief.remove(ORIGINS);
        ObjectNode ordered = kind == ManifestKind.CALENDAR ? one.brief : (ObjectNode) ordered(one.brief);
        if (keptMembers.versions() && answer.has("version")) {
            ordered.set("version", answer.get("version"));
        }
        return ordered;
    }

    private void task(KeptMembers keptMembers) {
        Set<String> pinned = keptMembers.defaults().of(brief.path("app").asText());
        brief.path(ORIGINS).fieldNames().forEachRemaining(origin -> {
            pinned.remove(origin);
            removeFromDefaults(origin);
        });
        pin(pinned);
        boolean starts = keptMembers.starts();
        boolean countsFromStart = brief.path("schedule").has("in");
        if (!starts && !countsFromStart && startsAtItsCreation()) {
            brief.remove("start");
        }
        drop(brief, without(pinned, OF_A_TASK));
        if (brief.path("handler") instanceof ObjectNode handler) {
            String type = handler.path("type").asText();
            drop(handler, OF_HANDLERS.getOrDefault(type, Map.of()));
            if (type.equals("http")) {
                dropMethod(handler, handler.has("body") ? "POST" : "GET");
                drop(brief, without(pinned, Map.of("timeout", "\"PT30S\"")));
            }
        }
        if (!pinned.contains("misfire")) {
            part("misfire", OF_A_MISFIRE);
        }
        if (!pinned.contains("retry")) {
            retry(OF_TASKS);
        }
        followers("then");
        followers("thenOnFailure");
    }

    private void removeFromDefaults(String origin) {
        if (origin.equals(TaskDefaultsIndex.ZONE)) {
            if (brief.path("schedule") instanceof ObjectNode schedule) {
                schedule.remove("zone");
            }
        } else {
            brief.remove(origin);
        }
    }

    /** Writes the built-in values of members that a default would otherwise fill. */
    private void pin(Set<String> pinned) {
        if (pinned.contains("onDoubt") && !brief.has("onDoubt") && brief.has("orphan")) {
            brief.set("onDoubt", brief.get("orphan"));
        }
        if (pinned.contains(TaskDefaultsIndex.ZONE) && brief.path("schedule") instanceof ObjectNode schedule) {
            boolean isLocal = schedule.has("rrule") || schedule.has("type") || namesNoZone(schedule.path("cron"));
            if (isLocal && !schedule.has("zone")) {
                schedule.put("zone", "UTC");
            }
        }
    }

    private static boolean namesNoZone(JsonNode cron) {
        String text = cron.asText().strip();
        return cron.isTextual()
                && !text.regionMatches(true, 0, "@every", 0, 6)
                && !text.startsWith("TZ=")
                && !text.startsWith("CRON_TZ=");
    }

    private static Map<String, String> without(Set<String> pinned, Map<String, String> defaults) {
        Map<String, String> others = new HashMap<>(defaults);
        others.keySet().removeAll(pinned);
        return others;
    }

    private boolean startsAtItsCreation() {
        if (!brief.hasNonNull("start") || !brief.hasNonNull("createdAt")) {
            return false;
        }
        Instant start = Instant.parse(brief.path("start").asText());
        Instant made = Instant.parse(brief.path("createdAt").asText());
        return Duration.between(start, made).abs().compareTo(AT_ITS_CREATION) <= 0;
    }

    private static void dropMethod(ObjectNode call, String otherwise) {
        if (call.path("method").asText().equals(otherwise)) {
            call.remove("method");
        }
    }

    /** Shortens followers of the same app to their names. */
    private void followers(String link) {
        if (brief.path(link) instanceof ArrayNode links) {
            for (int i = 0; i < links.size(); i++) {
                if (links.get(i).path("app").equals(brief.get("app"))) {
                    links.set(i, links.get(i).get("name"));
                }
            }
        }
    }

    /** Keeps the maximum of attempts if any other member remains, because without it the API would drop the others. */
    private void retry(RetryMembers usual) {
        if (!(brief.path("retry") instanceof ObjectNode retry)) {
            return;
        }
        String backoff = retry.path("backoff").asText(usual.backoff());
        boolean isLonger = Duration.parse(backoff).compareTo(Duration.parse(usual.maxBackoff())) > 0;
        drop(
                retry,
                Map.of(
                        "backoff",
                        "\"" + usual.backoff() + "\"",
                        "multiplier",
                        "2",
                        "maxBackoff",
                        "\"" + (isLonger ? backoff : usual.maxBackoff()) + "\"",
                        "jitter",
                        "0.1"));
        if (retry.size() == 1 && retry.path("maxAttempts").asInt() == usual.maxAttempts()) {
            brief.remove("retry");
        }
    }

    private void calendar(ObjectNode calendar) {
        drop(calendar, Map.of("mode", "\"EXCLUDE\"", "zone", "\"UTC\""));
        calendar.path("weekly").forEach(hours -> {
            if (hours instanceof ObjectNode object) {
                drop(object, Map.of("from", "\"00:00\"", "to", "\"24:00\""));
            }
        });
    }

    private void alert() {
        drop(brief, Map.of("enabled", "true", "gather", "\"PT1S\"", "every", "\"PT1M\"", "tasks", "{}"));
        if (brief.path("webhook") instanceof ObjectNode webhook) {
            drop(webhook, Map.of("timeout", "\"PT10S\""));
            boolean isUsual = webhook.path("body").asText().equals("${alert}")
                    && webhook.path("headers").toString().equals("{\"Content-Type\":\"application/json\"}");
            if (isUsual) {
                webhook.remove(List.of("body", "headers"));
            }
            drop(webhook, OF_A_CALL);
            dropMethod(webhook, "POST");
        }
        retry(OF_ALERTS);
        if (brief.path("silence") instanceof ObjectNode silence) {
            calendar(silence);
            drop(silence, Map.of("keep", "true"));
        }
    }

    private void part(String name, Map<String, String> defaults) {
        if (brief.path(name) instanceof ObjectNode part) {
            drop(part, defaults);
            if (part.isEmpty()) {
                brief.remove(name);
            }
        }
    }

    private void drop(ObjectNode from, Map<String, String> defaults) {
        defaults.forEach((member, value) -> {
            if (from.has(member) && isSame(from.get(member), read(value))) {
                from.remove(member);
            }
        });
    }

    /** Compares numbers by value: 2 equals 2.0. */
    private static boolean isSame(JsonNode one, JsonNode other) {
        return one.isNumber() && other.isNumber()
                ? one.decimalValue().compareTo(other.decimalValue()) == 0
                : one.equals(other);
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a built-in default is not valid JSON: " + json, e);
        }
    }

    /** Orders members for people, because the database has its own order. A task's own data keeps its order. */
    private static JsonNode ordered(JsonNode node) {
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        ObjectNode ordered = JSON.createObjectNode();
        for (String member : FIRST) {
            if (object.has(member)) {
                ordered.set(member, object.get(member));
            }
        }
        object.properties().forEach(member -> {
            boolean isOwn = member.getKey().equals("data") || member.getKey().equals("parameters");
            ordered.set(member.getKey(), isOwn ? member.getValue() : ordered(member.getValue()));
        });
        return ordered;
    }
}
