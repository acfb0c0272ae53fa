package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.alert.store.AlertDelivery;
import io.twinbell.node.alert.store.AlertOutbox.AlertEvent;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import java.util.ArrayList;
import java.util.List;

/** Gathers events as the content of a delivery, and builds its message: the value of {@code ${alert}}. */
public final class AlertMessage {
    private static final int MOST_OF_A_REASON = 300;
    private static final int MOST_SENTENCES = 3;
    private static final int MOST_EVENTS = 20;
    private static final int MOST_TASKS = 20;
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private AlertMessage() {}

    /** The message as JSON, with every member. */
    public static ObjectNode of(AlertDelivery delivery) {
        return of(
                delivery.alert(),
                delivery.key().toString(),
                delivery.isTest(),
                StrictJson.readStored(delivery.content()));
    }

    private static ObjectNode of(String name, String key, boolean isTest, JsonNode gathered) {
        ObjectNode json = JSON.objectNode();
        json.put("name", name);
        json.put("key", key);
        json.put("test", isTest);
        json.put("summary", (isTest ? "Test of the alert " + name + ": " : "") + summary(gathered));
        for (String member : List.of("count", "counts", "from", "until", "tasks", "events")) {
            json.set(member, gathered.path(member));
        }
        return json;
    }

    /** One line for people: the events, or their counts and the first event. */
    private static String summary(JsonNode gathered) {
        List<String> sentences = new ArrayList<>();
        gathered.path("events").forEach(event -> sentences.add(sentence(event)));
        if (gathered.path("count").asLong() <= MOST_SENTENCES) {
            return String.join("; ", sentences);
        }
        List<String> counts = new ArrayList<>();
        gathered.path("counts")
                .properties()
                .forEach(count -> counts.add(count.getValue().asText() + " " + count.getKey()));
        return String.join(", ", counts) + "; first: " + sentences.get(0);
    }

    private static String sentence(JsonNode event) {
        String occasion = event.path("event").asText();
        String because = because(event);
        return switch (occasion) {
            case "ROLE_CHANGE" ->
                "node " + event.path("node").asText() + " is "
                        + event.path("to").asText() + epoch(event) + because;
            case "NO_STANDBY" ->
                event.path("resolved").asBoolean()
                        ? "a standby is available again"
                        : "no node could take over from " + event.path("node").asText() + because;
            case "UNKNOWN_HANDLER" ->
                event.path("resolved").asBoolean()
                        ? "the " + code(event) + " \"" + codeName(event) + "\" is known or no longer needed"
                        : "no node has " + (event.has("httpProfile") ? "this " : "a ") + code(event) + because;
            default -> ofTask(occasion, event) + because;
        };
    }

    private static String code(JsonNode event) {
        return event.has("httpProfile") ? "http profile" : "Java handler";
    }

    private static String codeName(JsonNode event) {
        return event.path(event.has("httpProfile") ? "httpProfile" : "key").asText();
    }

    /** A node that starts has no epoch yet. */
    private static String epoch(JsonNode event) {
        long epoch = event.path("epoch").asLong();
        return epoch == 0 ? "" : " (epoch " + epoch + ")";
    }

    private static String ofTask(String occasion, JsonNode event) {
        String task = event.path("app").asText() + "/" + event.path("name").asText();
        if (event.path("resolved").asBoolean()) {
            return task + resolved(occasion);
        }
        String what = event.hasNonNull("state") && !occasion.equals(AlertEventType.STUCK.name())
                ? event.path("state").asText()
                : occasion;
        String slots =
                event.path("slots").asLong() > 1 ? " (" + event.path("slots").asText() + " slots)" : "";
        String fireTime =
                event.hasNonNull("fireTime") ? " " + event.path("fireTime").asText() : "";
        return task + " " + what + slots + fireTime;
    }

    private static String resolved(String occasion) {
        return switch (occasion) {
            case "NO_SUCCESS" -> " has succeeded again";
            case "NO_SUCCESS_BY" -> " has succeeded after its deadline, or the next deadline applies";
            case "RUNNING_LONG" -> " no longer runs";
            case "STARTED_LATE" -> " no longer waits for its start";
            case "NO_PING" -> " was pinged again";
            default -> " is no longer " + occasion;
        };
    }

    private static String because(JsonNode event) {
        String text = event.hasNonNull("error")
                ? event.path("error").asText()
                : event.path("reason").asText("");
        String line = text.lines().findFirst().orElse("").strip();
        if (line.isEmpty() || event.path("resolved").asBoolean()) {
            return "";
        }
        return ": " + (line.length() > MOST_OF_A_REASON ? line.substring(0, MOST_OF_A_REASON) + "…" : line);
    }

    /** The content of a test: one event of a task that does not exist. */
    public static String test(long nowMillis) {
        ObjectNode about = JSON.objectNode();
        about.put("app", "twinbell").put("name", "test").put("state", AlertEventType.FAILED.name());
        about.put("reason", "nothing is wrong: this is a test of the alert");
        return digest(null, List.of(new AlertEvent(AlertEventType.FAILED.name(), nowMillis, StrictJson.write(about))));
    }

    /** A message with every possible member. */
    static JsonNode sample() {
        String instant = Instants.text(0);
        ObjectNode event = JSON.objectNode();
        for (String text : List.of("event", "app", "name", "state", "node", "key", "error", "reason", "from", "to")) {
            event.put(text, "x");
        }
        for (String time : List.of("at", "fireTime", "untilFireTime", "began")) {
            event.put(time, instant);
        }
        for (String number : List.of("taskId", "slots", "attempt", "epoch")) {
            event.put(number, 1);
        }
        event.put("resolved", false);
        ObjectNode gathered = JSON.objectNode();
        gathered.put("count", 1).put("from", instant).put("until", instant);
        ObjectNode counts = gathered.putObject("counts");
        for (AlertEventType eventType : AlertEventType.values()) {
            counts.put(eventType.name(), 1);
        }
        ArrayNode tasks = gathered.putArray("tasks");
        ArrayNode events = gathered.putArray("events");
        for (int i = 0; i < MOST_TASKS; i++) {
            tasks.addObject().put("app", "x").put("name", "x").put("count", 1);
        }
        for (int i = 0; i < MOST_EVENTS; i++) {
            events.add(event);
        }
        return of("x", "00000000-0000-0000-0000-000000000000", false, gathered);
    }

    /**
     * Adds events to the content of a delivery, JSON text: the number of events of each kind and of each task, and the
     * first events in full. Its size is bounded, however many events there are.
     *
     * @param gathered the content so far; null for the first events
     */
    static String digest(String gathered, List<AlertEvent> events) {
        ObjectNode sum =
                gathered == null ? JsonNodeFactory.instance.objectNode() : (ObjectNode) StrictJson.readStored(gathered);
        events.forEach(event -> add(sum, event));
        return StrictJson.write(sum);
    }

    private static void add(ObjectNode sum, AlertEvent event) {
        ObjectNode about = (ObjectNode) StrictJson.readStored(event.about());
        String at = Instants.text(event.atMillis());
        sum.put("count", sum.path("count").asLong() + 1);
        if (!sum.has("from")) {
            sum.put("from", at);
        }
        sum.put("until", at);
        ObjectNode counts = sum.withObjectProperty("counts");
        counts.put(event.event(), counts.path(event.event()).asLong() + 1);
        if (about.hasNonNull("name")) {
            count(sum.withArrayProperty("tasks"), about);
        } else {
            sum.withArrayProperty("tasks");
        }
        ArrayNode shown = sum.withArrayProperty("events");
        if (shown.size() < MOST_EVENTS) {
            ObjectNode one = shown.addObject();
            one.put("event", event.event());
            one.put("at", at);
            about.properties().stream()
                    .filter(member -> !member.getValue().isNull())
                    .forEach(member -> one.set(member.getKey(), member.getValue()));
        }
    }

    private static void count(ArrayNode tasks, ObjectNode about) {
        String app = about.path("app").asText();
        String name = about.path("name").asText();
        for (JsonNode task : tasks) {
            if (task.path("name").asText().equals(name)
                    && task.path("app").asText().equals(app)) {
                ((ObjectNode) task).put("count", task.path("count").asLong() + 1);
                return;
            }
        }
        if (tasks.size() < MOST_TASKS) {
            tasks.addObject().put("app", app).put("name", name).put("count", 1);
        }
    }
}
