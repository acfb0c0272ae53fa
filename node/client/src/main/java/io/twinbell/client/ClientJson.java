package io.twinbell.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;

/**
 * The JSON of requests and payloads, with every digit of a number. Modules of Jackson on the class path, such as that for
 * java.time, are used.
 */
final class ClientJson {
    static final ObjectMapper MAPPER = JsonMapper.builder()
            .findAndAddModules()
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .defaultPropertyInclusion(JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, null))
            .build();

    private static final DateTimeFormatter INSTANT = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private ClientJson() {}

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static String instant(Instant instant) {
        return INSTANT.format(instant.truncatedTo(ChronoUnit.MILLIS));
    }

    /** Returns a copy with one more member; the value has the type in which the builders receive it. */
    static ObjectNode with(ObjectNode json, String member, Object value) {
        if (value == null) {
            throw new IllegalArgumentException(member + " must not be null");
        }
        ObjectNode copy = json.deepCopy();
        copy.set(member, tree(value));
        return copy;
    }

    static JsonNode tree(Object value) {
        if (value instanceof JsonNode node) {
            return node;
        } else if (value instanceof Instant instant) {
            return JsonNodeFactory.instance.textNode(instant(instant));
        } else if (value instanceof Duration || value instanceof Enum<?>) {
            return JsonNodeFactory.instance.textNode(value.toString());
        } else if (value instanceof Collection<?> values) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            values.forEach(element -> array.add(tree(element)));
            return array;
        } else if (value instanceof Map<?, ?> members) {
            ObjectNode object = object();
            members.forEach((name, member) -> object.set(String.valueOf(name), tree(member)));
            return object;
        }
        return written(value);
    }

    /**
     * Returns what Jackson writes for an object.
     *
     * @throws IllegalArgumentException if Jackson cannot write it
     */
    static JsonNode written(Object value) {
        try {
            // Not valueToTree: that would make 0.10000000149011612 of the float 0.1.
            return MAPPER.readTree(MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    static JsonNode read(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("this is not JSON: " + e.getOriginalMessage(), e);
        }
    }
}
