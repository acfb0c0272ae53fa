package io.twinbell.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The key of a java handler and the type of its payload. The program that schedules and the program that handles share
 * one constant:
 *
 * <pre>{@code
 * record Invoice(long number) {}
 *
 * static final HandlerKey<Invoice> CLOSE = HandlerKey.of("invoice.close", Invoice.class);
 * }</pre>
 *
 * <p>A payload is stored as the task's {@code data}. When the type changes so that stored payloads no longer fit, add an
 * upgrade. Each one raises the version by one, and payloads carry it in the member {@code $version}:
 *
 * <pre>{@code
 * HandlerKey.of("invoice.close", Invoice.class)
 *         .upgrade(old -> old.put("currency", "EUR"))   // from version 1 to version 2
 * }</pre>
 *
 * <p>Instances are immutable.
 *
 * @param <T> the type of the payload, usually a record
 */
public final class HandlerKey<T> {
    /** The member of a payload that holds its version; absent in version 1. */
    static final String VERSION = "$version";

    /** The member of a payload that holds the trace context of the code that scheduled it. */
    static final String TRACEPARENT = "$traceparent";

    private static final int LONGEST_KEY = 200;

    private final String key;
    private final Class<T> type;
    private final List<PayloadUpgrade> upgrades;

    private HandlerKey(String key, Class<T> type, List<PayloadUpgrade> upgrades) {
        this.key = key;
        this.type = type;
        this.upgrades = upgrades;
    }

    /**
     * Returns a key whose payloads have version 1.
     *
     * @param key 1 to 200 characters, as in {@code "handler": {"type": "java", "key": …}}
     * @throws IllegalArgumentException if the key is empty or too long
     */
    public static <T> HandlerKey<T> of(String key, Class<T> type) {
        Objects.requireNonNull(type, "type");
        if (key == null || key.isEmpty() || key.length() > LONGEST_KEY) {
            throw new IllegalArgumentException("a handler key has 1 to " + LONGEST_KEY + " characters, not " + key);
        }
        return new HandlerKey<>(key, type, List.of());
    }

    /** Returns a key of the next version, which turns payloads of the present version into the next one. */
    public HandlerKey<T> upgrade(PayloadUpgrade next) {
        List<PayloadUpgrade> all = new ArrayList<>(upgrades);
        all.add(Objects.requireNonNull(next, "next"));
        return new HandlerKey<>(key, type, List.copyOf(all));
    }

    public String key() {
        return key;
    }

    public Class<T> type() {
        return type;
    }

    /** Returns the version of the payloads that this key writes: 1 plus the number of upgrades. */
    public int version() {
        return 1 + upgrades.size();
    }

    /**
     * Returns the payload as JSON text, with its version.
     *
     * @throws PayloadException if Jackson cannot write it
     */
    public String write(T payload) {
        return tree(payload, null).toString();
    }

    /** As {@link #write}; a trace context goes only into a payload that is a JSON object. */
    JsonNode tree(T payload, String traceparent) {
        JsonNode json;
        try {
            json = ClientJson.written(payload);
        } catch (IllegalArgumentException e) {
            throw new PayloadException("the payload of \"" + key + "\" cannot be written: " + e.getMessage(), e);
        }
        if (json instanceof ObjectNode object) {
            if (object.has(VERSION) || object.has(TRACEPARENT)) {
                throw new PayloadException(
                        "the payload of \"" + key + "\" uses a reserved name, " + VERSION + " or " + TRACEPARENT, null);
            }
            if (!upgrades.isEmpty()) {
                object.put(VERSION, version());
            }
            if (traceparent != null) {
                object.put(TRACEPARENT, traceparent);
            }
        } else if (!upgrades.isEmpty()) {
            throw new PayloadException(
                    "the payload of \"" + key + "\" has versions, so it must be a JSON object, not "
                            + json.getNodeType(),
                    null);
        }
        return json;
    }

    /**
     * Reads the data of a task, upgraded to the present version. Missing data is a null payload.
     *
     * @param data JSON text, or null
     * @throws PayloadException if it is not a payload of this type, or has a later version
     */
    public T read(String data) {
        if (data == null) {
            return null;
        }
        JsonNode json;
        try {
            json = ClientJson.MAPPER.readTree(data);
        } catch (JsonProcessingException e) {
            throw unreadable(PayloadException.noJson(e), null);
        }
        JsonNode current = json instanceof ObjectNode object ? upgraded(object) : json;
        try {
            return ClientJson.MAPPER.treeToValue(current, type);
        } catch (JsonProcessingException e) {
            throw unreadable(PayloadException.misfit(e, current, type), PayloadException.ownCause(e));
        }
    }

    private PayloadException unreadable(String why, Throwable cause) {
        String version = upgrades.isEmpty() ? "" : ", version " + version() + ",";
        return new PayloadException(
                "the data cannot be read as " + type.getSimpleName() + version + " for \"" + key + "\": " + why, cause);
    }

    private ObjectNode upgraded(ObjectNode payload) {
        JsonNode stored = payload.remove(VERSION);
        payload.remove(TRACEPARENT);
        int from = stored == null ? 1 : stored.asInt();
        if (from < 1 || from > version()) {
            throw new PayloadException(
                    "the payload of \"" + key + "\" has version " + stored + ", and this program reads 1 to "
                            + version(),
                    null);
        }
        ObjectNode current = payload;
        for (int version = from; version < version(); version++) {
            try {
                current = upgrades.get(version - 1).upgrade(current);
            } catch (RuntimeException e) {
                throw new PayloadException(
                        "the upgrade of a payload of \"" + key + "\" from version " + version + " failed: " + e, e);
            }
        }
        return current;
    }

    @Override
    public String toString() {
        return key + "(" + type.getSimpleName() + ", version " + version() + ")";
    }
}
