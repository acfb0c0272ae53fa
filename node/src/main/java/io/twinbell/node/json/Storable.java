package io.twinbell.node.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Refuses the few things that JSON may say and PostgreSQL's jsonb can't keep. */
final class Storable {
    private static final int MAX_DIGITS = 1000;

    private Storable() {}

    static void check(JsonNode document) {
        List<FieldError> errors = new ArrayList<>();
        visit(document, "", errors);
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
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

    private static boolean hasLoneSurrogate(String text) {
        return text.codePoints()
                .anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    private static void number(BigDecimal number, String pointer, List<FieldError> errors) {
        if (number.precision() > MAX_DIGITS || Math.abs((long) number.scale()) > MAX_DIGITS) {
            errors.add(new FieldError(pointer, "a number of more than " + MAX_DIGITS + " digits can't be stored"));
        }
    }
}
