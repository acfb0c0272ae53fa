package io.twinbell.node.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads and validates the members of one JSON object. Each member that is read becomes known; {@link #refuseUnknown}
 * reports the others. Errors are collected, and a method that reports one returns null (or its default), so that one
 * response shows every error. A null member counts as absent.
 */
public final class Fields {
    /** Further errors are dropped: a body of 256 KiB can have 40,000. */
    private static final int MAX_ERRORS = 1000;
    /**
     * Errors in one document after which no name is suggested. A request may have 10,000 documents, and suggestions for
     * all their members would take a minute.
     */
    private static final int MOST_WITH_SUGGESTION = 20;

    private final JsonNode object;
    private final String pointer;
    private final List<FieldError> errors;
    /** A list, because it is short, and most lookups find the identical string. */
    private final List<String> known = new ArrayList<>();

    private Fields(JsonNode object, String pointer, List<FieldError> errors) {
        this.object = object;
        this.pointer = pointer;
        this.errors = errors;
    }

    /** Creates a reader of the node. A node that is not an object counts as an error and reads as an empty object. */
    public static Fields of(JsonNode node, String pointer, List<FieldError> errors) {
        if (!(node instanceof ObjectNode)) {
            errors.add(new FieldError(pointer, "must be a JSON object"));
        }
        return new Fields(node, pointer, errors);
    }

    /** Returns the member unchanged, or null. */
    public JsonNode json(String name) {
        known.add(name);
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    public JsonNode required(String name) {
        JsonNode value = json(name);
        if (value == null && object.isObject()) {
            error(name, "is required");
        }
        return value;
    }

    /** Returns a text of 1 to {@code maxLength} characters, or null. */
    public String text(String name, int maxLength) {
        return texts(name, json(name), maxLength);
    }

    /** Returns a text of 1 to {@code maxLength} characters without control characters, or null. */
    public String line(String name, int maxLength) {
        return inOneLine(name, text(name, maxLength));
    }

    public String requiredLine(String name, int maxLength) {
        return inOneLine(name, texts(name, required(name), maxLength));
    }

    private String inOneLine(String name, String text) {
        if (text == null || !hasControl(text) && !JsonbCheck.hasLoneSurrogate(text)) {
            return text;
        }
        return error(name, "must not contain control characters or half of a surrogate pair");
    }

    private static boolean hasControl(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    private String texts(String name, JsonNode value, int maxLength) {
        if (value == null) {
            return null;
        }
        if (!value.isTextual()) {
            return error(name, "must be a string");
        }
        String text = value.textValue();
        if (text.isEmpty() || text.codePointCount(0, text.length()) > maxLength) {
            return error(name, "must have 1 to " + maxLength + " characters");
        }
        return text;
    }

    public Boolean bool(String name) {
        JsonNode value = json(name);
        if (value == null || value.isBoolean()) {
            return value == null ? null : value.booleanValue();
        }
        return error(name, "must be true or false");
    }

    public Long integer(String name, long min, long max) {
        JsonNode value = json(name);
        if (value == null) {
            return null;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < min
                || value.longValue() > max) {
            return error(name, "must be a whole number from " + min + " to " + max);
        }
        return value.longValue();
    }

    public Double number(String name, double min, double max) {
        JsonNode value = json(name);
        if (value == null) {
            return null;
        }
        double number = value.doubleValue();
        if (!value.isNumber() || number < min || number > max) {
            return error(name, "must be a number from " + plain(min) + " to " + plain(max));
        }
        return number;
    }

    private static String plain(double bound) {
        return BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
    }

    /** Returns an instant in milliseconds since 1970 UTC, or null. */
    public Long instant(String name) {
        return read(name, "must be an instant such as 2026-03-29T01:00:00.000Z", text -> Instants.millis(text));
    }

    /** Returns an ISO-8601 duration of whole milliseconds, or null. */
    public Duration duration(String name, Duration min, Duration max) {
        Duration duration = read(name, "must be a duration such as PT30S", Fields::duration);
        if (duration != null && (duration.compareTo(min) < 0 || duration.compareTo(max) > 0)) {
            return error(name, "must lie between " + min + " and " + max);
        }
        return duration;
    }

    /** Returns the enum constant with exactly this name. */
    public <E extends Enum<E>> E choice(String name, Class<E> choices, E otherwise) {
        JsonNode given = json(name);
        if (given == null) {
            return otherwise;
        }
        E[] constants = choices.getEnumConstants();
        for (E constant : constants) {
            if (constant.name().equals(given.textValue())) {
                return constant;
            }
        }
        String hint = given.isTextual()
                ? NearestName.hint(
                        given.textValue(),
                        Arrays.stream(constants).map(Enum::name).toList())
                : "";
        error(name, "must be one of " + Arrays.toString(constants) + hint);
        return otherwise;
    }

    /** Returns the members of a nested object, or null if it is absent. */
    public Fields object(String name) {
        JsonNode value = json(name);
        return value == null ? null : of(value, at(name), errors);
    }

    /** Adds an error at a member; returns null for the caller to return. */
    public <T> T error(String name, String detail) {
        add(at(name), detail);
        return null;
    }

    private void add(String at, String detail) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(new FieldError(at, detail));
        }
    }

    /** Adds an error with a pointer relative to this object. */
    public void errorBelow(String relativePointer, String detail) {
        add(pointer + relativePointer, detail);
    }

    public String at(String name) {
        return pointer + "/" + escaped(name);
    }

    /** Returns every member of an object whose member names are data. */
    public Set<Map.Entry<String, JsonNode>> all() {
        return object.properties();
    }

    /** Reports every member that was not read as an unknown field. */
    public void refuseUnknown() {
        for (Map.Entry<String, JsonNode> member : object.properties()) {
            if (errors.size() >= MOST_WITH_SUGGESTION && !known.contains(member.getKey())) {
                error(member.getKey(), "unknown field");
            } else if (!known.contains(member.getKey())) {
                error(member.getKey(), "unknown field" + NearestName.hint(member.getKey(), new TreeSet<>(known)));
            }
        }
    }

    /** Escapes the name as RFC 6901 requires. */
    static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private interface Reading<T> {
        T of(String text);
    }

    private <T> T read(String name, String expectation, Reading<T> reading) {
        JsonNode value = json(name);
        if (value == null) {
            return null;
        }
        if (!value.isTextual()) {
            return error(name, expectation);
        }
        try {
            return reading.of(value.textValue());
        } catch (IllegalArgumentException e) {
            return error(name, e.getMessage());
        }
    }

    private static Duration duration(String text) {
        try {
            Duration duration = Duration.parse(text);
            if (duration.getNano() % 1_000_000 == 0) {
                return duration;
            }
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("must be a duration such as PT30S");
        }
        throw new IllegalArgumentException("must be whole milliseconds");
    }
}
