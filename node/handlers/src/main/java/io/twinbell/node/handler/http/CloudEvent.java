package io.twinbell.node.handler.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.persistence.ledger.InstantFormat;
import io.twinbell.persistence.ledger.Slot;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The attributes that an HTTP call carries as a CloudEvent 1.0.
 *
 * @param id the same for each attempt, without a dot
 * @param source a relative URI: which task or alert it is
 */
record CloudEvent(String id, String source, String type, String time) {
    private static final String CONTENT_TYPE = "Content-Type";

    /** The fire of a task; its id is that of the execution. */
    static CloudEvent of(Slot slot, String app, String task) {
        return new CloudEvent(
                CallbackUrls.id(slot),
                "/twinbell/apps/" + segment(app) + "/tasks/" + segment(task),
                "io.twinbell.task.fire",
                slot.fireTime());
    }

    static CloudEvent ofAlert(String key, String alert, long nowMillis) {
        return new CloudEvent(
                key, "/twinbell/alerts/" + segment(alert), "io.twinbell.alert", InstantFormat.text(nowMillis));
    }

    private static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Adds the headers of the binary mode. */
    void describe(Map<String, String> headers) {
        headers.put("ce-specversion", "1.0");
        headers.put("ce-id", id);
        // The HTTP binding encodes each percent sign of a value.
        headers.put("ce-source", source.replace("%", "%25"));
        headers.put("ce-type", type);
        headers.put("ce-time", time);
    }

    /**
     * Returns the body of the structured mode, and declares it.
     *
     * @param data null for none
     * @param headers their Content-Type describes the data, and is replaced
     */
    byte[] structured(JsonNode data, Map<String, String> headers) {
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put("specversion", "1.0")
                .put("id", id)
                .put("source", source)
                .put("type", type)
                .put("time", time);
        if (data != null) {
            headers.entrySet().stream()
                    .filter(header -> header.getKey().equalsIgnoreCase(CONTENT_TYPE))
                    .forEach(header -> event.put("datacontenttype", header.getValue()));
            event.set("data", data);
        }
        headers.keySet().removeIf(name -> name.equalsIgnoreCase(CONTENT_TYPE));
        headers.put(CONTENT_TYPE, "application/cloudevents+json; charset=utf-8");
        return event.toString().getBytes(StandardCharsets.UTF_8);
    }
}
