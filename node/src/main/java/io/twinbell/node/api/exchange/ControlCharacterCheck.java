package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.ops.text.ControlCharacters;
import java.util.ArrayList;
import java.util.List;

/**
 * Refuses control characters in the members that people read in lists, logs and terminals. Only requests are checked:
 * a stored task of an older build continues to fire.
 */
public final class ControlCharacterCheck {
    private static final List<String> MEMBERS = List.of("app", "name", "owner", "concurrencyKey", "reason", "by", "to");

    private ControlCharacterCheck() {}

    /** @throws InvalidJsonException naming every member with a control character */
    public static void check(JsonNode body) {
        List<FieldError> errors = new ArrayList<>();
        for (String member : MEMBERS) {
            check(body.path(member), "/" + member, errors);
        }
        int index = 0;
        for (JsonNode tag : body.path("tags")) {
            check(tag, "/tags/" + index++, errors);
        }
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
    }

    private static void check(JsonNode value, String pointer, List<FieldError> errors) {
        if (value.isTextual() && ControlCharacters.isIn(value.textValue())) {
            errors.add(
                    new FieldError(
                            pointer,
                            "must not contain control characters, line separators or characters that change the text direction"));
        }
    }
}
