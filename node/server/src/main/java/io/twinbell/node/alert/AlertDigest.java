package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.alert.store.AlertOutbox.AlertEvent;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import java.util.List;

/**
 * Summarizes the events gathered for one delivery as JSON: the number of events of each kind and of each task, and the
 * first events in full. Its size is bounded, however many events there are.
 */
final class AlertDigest {
    static final int MOST_EVENTS = 20;
    static final int MOST_TASKS = 20;

    private AlertDigest() {}

    /**
     * Adds events to a summary.
     *
     * @param gathered the summary so far; null for the first events
     */
    static String add(String gathered, List<AlertEvent> events) {
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
