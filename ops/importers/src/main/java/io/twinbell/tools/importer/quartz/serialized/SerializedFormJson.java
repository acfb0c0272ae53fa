package io.twinbell.tools.importer.quartz.serialized;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Date;
import java.util.Map;
import java.util.TreeMap;
import org.quartz.utils.DirtyFlagMap;

/**
 * Converts deserialized data to JSON. Objects may refer to each other and to themselves, so depth and size of the
 * result are bounded.
 */
final class SerializedFormJson {
    private static final int MAX_DEPTH = 50;
    private static final int MAX_VALUES = 100_000;
    /** A stream may refer to one text many times. */
    private static final int MAX_CHARACTERS = 1_000_000;

    private static final int MAX_DIGITS = 1_000;
    private static final int BITS_OF_A_DIGIT = 4;

    private int values;
    private long characters;

    /** The members of a map, ordered by name. */
    ObjectNode members(Object map) throws UnreadableException {
        if (!(map instanceof Map<?, ?> data)) {
            throw new UnreadableException("is not a map of job data");
        }
        return members(data, 0);
    }

    JsonNode value(Object value) throws UnreadableException {
        ArrayNode one = JsonNodeFactory.instance.arrayNode();
        add(one, value, 0);
        return one.get(0);
    }

    private ObjectNode members(Map<?, ?> map, int depth) throws UnreadableException {
        Map<?, ?> plain = map instanceof DirtyFlagMap<?, ?> data ? data.getWrappedMap() : map;
        if (plain == null) {
            return JsonNodeFactory.instance.objectNode();
        }
        Map<String, Object> sorted = new TreeMap<>();
        for (Map.Entry<?, ?> entry : plain.entrySet()) {
            Object key = entry.getKey();
            if (!(key instanceof String || key instanceof Number || key instanceof Boolean)) {
                throw new UnreadableException("contains a map with a key that is not a text");
            }
            count();
            count(key.toString());
            String name = text(key);
            if (sorted.containsKey(name)) {
                throw new UnreadableException("contains a map with a duplicate key");
            }
            sorted.put(name, entry.getValue());
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, Object> entry : sorted.entrySet()) {
            ArrayNode one = JsonNodeFactory.instance.arrayNode();
            add(one, entry.getValue(), depth + 1);
            json.set(entry.getKey(), one.get(0));
        }
        return json;
    }

    private void count() throws UnreadableException {
        if (++values > MAX_VALUES) {
            throw new UnreadableException("contains more than " + MAX_VALUES + " values");
        }
    }

    private void count(String text) throws UnreadableException {
        characters += text.length();
        if (characters > MAX_CHARACTERS) {
            throw new UnreadableException("contains more than " + MAX_CHARACTERS + " characters");
        }
    }

    private void add(ArrayNode list, Object value, int depth) throws UnreadableException {
        count();
        if (depth > MAX_DEPTH) {
            throw new UnreadableException("is nested more than " + MAX_DEPTH + " levels deep, or contains itself");
        }
        if (value == null) {
            list.addNull();
        } else if (value instanceof Boolean yes) {
            list.add(yes);
        } else if (value instanceof Number number) {
            list.add(decimal(number));
        } else if (value instanceof String || value instanceof Character) {
            count(value.toString());
            list.add(value.toString());
        } else if (value instanceof Date date) {
            list.add(date.toInstant().toString());
        } else if (value instanceof Collection<?> items) {
            ArrayNode inner = list.addArray();
            for (Object item : items) {
                add(inner, item, depth + 1);
            }
        } else if (value instanceof Map<?, ?> map) {
            list.add(members(map, depth));
        } else {
            throw new UnreadableException("contains " + value.getClass().getName() + ", which JSON cannot represent");
        }
    }

    private static String text(Object key) throws UnreadableException {
        return key instanceof Number number ? decimal(number).toString() : key.toString();
    }

    private static BigDecimal decimal(Number number) throws UnreadableException {
        if (number instanceof Double || number instanceof Float) {
            double value = number.doubleValue();
            if (Double.isNaN(value) || Double.isInfinite(value)) {
                throw new UnreadableException("contains the number " + value + ", which JSON cannot represent");
            }
        }
        if (number instanceof BigInteger whole && whole.bitLength() > MAX_DIGITS * BITS_OF_A_DIGIT
                || number instanceof BigDecimal decimal
                        && (decimal.unscaledValue().bitLength() > MAX_DIGITS * BITS_OF_A_DIGIT
                                || Math.abs((long) decimal.scale()) > MAX_DIGITS)) {
            throw new UnreadableException("contains a number of more than " + MAX_DIGITS + " digits");
        }
        return new BigDecimal(number.toString());
    }
}
