package io.twinbell.node.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Refuses JSON values that PostgreSQL's jsonb cannot store, and numbers that take much more space there than in the
 * request.
 */
final class JsonbCheck {
    private static final int MAX_DIGITS = 1000;

    /** A decimal scale up to this is not checked. Only larger scales, which exponents cause, add many digits. */
    private static final int SHORT = 40;

    private static final long MAX_ADDED_DIGITS = 64 * 1024;

    private JsonbCheck() {}

    static void check(JsonNode document) {
        check(document, "");
    }

    /** @param at the position of the document within a larger one */
    static void check(JsonNode document, String at) {
        // Positions are only needed for errors, so valid documents take a faster path.
        if (isStorable(document)) {
            checkExponents(document, at);
            return;
        }
        List<FieldError> errors = new ArrayList<>();
        visit(document, at, errors);
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
    }

    /** Bounds the expansion of exponents: 1e999 has five characters, and a thousand when written out. */
    private static void checkExponents(JsonNode document, String at) {
        if (addedDigits(document) > MAX_ADDED_DIGITS) {
            throw new InvalidJsonException(
                    at, "has numbers whose exponents expand to more than " + MAX_ADDED_DIGITS + " digits");
        }
    }

    private static long addedDigits(JsonNode node) {
        if (node.isContainerNode()) {
            long added = 0;
            for (JsonNode child : node) {
                added += addedDigits(child);
            }
            return added;
        }
        return node.isBigDecimal()
                ? Math.max(0, Math.abs((long) node.decimalValue().scale()) - SHORT)
                : 0;
    }

    private static boolean isStorable(JsonNode node) {
        switch (node.getNodeType()) {
            case OBJECT:
                for (Map.Entry<String, JsonNode> member : node.properties()) {
                    if (!isStorable(member.getKey()) || !isStorable(member.getValue())) {
                        return false;
                    }
                }
                return true;
            case ARRAY:
                for (JsonNode element : node) {
                    if (!isStorable(element)) {
                        return false;
                    }
                }
                return true;
            case STRING:
                return isStorable(node.textValue());
            case NUMBER:
                return node.isInt() || node.isLong() || isStorable(node.decimalValue());
            default:
                return true;
        }
    }

    private static boolean isStorable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\0' || Character.isSurrogate(c)) {
                return c != '\0' && text.indexOf('\0') < 0 && !hasLoneSurrogate(text);
            }
        }
        return true;
    }

    private static boolean isStorable(BigDecimal number) {
        return number.precision() <= MAX_DIGITS && Math.abs((long) number.scale()) <= MAX_DIGITS;
    }

    private static void visit(JsonNode node, String pointer, List<FieldError> errors) {
        if (node.isObject()) {
            node.properties().forEach(member -> {
                String at = pointer + "/" + Fields.escaped(member.getKey());
                text(member.getKey(), at, errors);
                visit(member.getValue(), at, errors);
            });
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                visit(node.get(i), pointer + "/" + i, errors);
            }
        } else if (node.isTextual()) {
            text(node.textValue(), pointer, errors);
        } else if (node.isNumber()) {
            number(node.decimalValue(), pointer, errors);
        }
    }

    private static void text(String text, String pointer, List<FieldError> errors) {
        if (text.indexOf('\0') >= 0) {
            errors.add(new FieldError(pointer, "the character U+0000 can't be stored"));
        } else if (hasLoneSurrogate(text)) {
            errors.add(new FieldError(pointer, "half of a surrogate pair can't be stored"));
        }
    }

    static boolean hasLoneSurrogate(String text) {
        return text.codePoints()
                .anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    private static void number(BigDecimal number, String pointer, List<FieldError> errors) {
        if (!isStorable(number)) {
            errors.add(new FieldError(pointer, "a number of more than " + MAX_DIGITS + " digits can't be stored"));
        }
    }
}
