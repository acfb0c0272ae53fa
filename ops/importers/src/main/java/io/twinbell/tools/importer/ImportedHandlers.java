package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What runs in place of another scheduler's code: a java handler, or a call.
 *
 * @param http the URL to call, with {@code {job}} and {@code {instance}} in it; null for java handlers
 * @param keys the java handler's key for each job; a job without one is its own key
 */
public record ImportedHandlers(String http, Map<String, String> keys) {
    ObjectNode handler(String job, String instance) {
        ObjectNode handler = JsonNodeFactory.instance.objectNode();
        if (http == null) {
            return handler.put("type", "java").put("key", keys.getOrDefault(job, job));
        }
        return handler.put("type", "http")
                .put("method", "POST")
                .put("url", http.replace("{job}", encoded(job)).replace("{instance}", encoded(instance)));
    }

    /** @param data null for none */
    void addData(ObjectNode task, JsonNode data) {
        if (data == null || data.isNull()) {
            return;
        }
        task.set("data", data);
        if (http != null && task.path("handler") instanceof ObjectNode handler) {
            handler.putObject("headers").put("Content-Type", "application/json");
            handler.put("body", "${data}");
        }
    }

    /** @param text a cron expression, or an ISO duration such as PT1H */
    static ObjectNode recurring(String text, String zone) {
        ObjectNode schedule = JsonNodeFactory.instance.objectNode();
        if (text.startsWith("P")) {
            return schedule.put("every", text);
        }
        schedule.put("cron", text);
        return schedule.put("dialect", text.split("\\s+").length == 5 ? "UNIX" : "SPRING")
                .put("zone", zone);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
