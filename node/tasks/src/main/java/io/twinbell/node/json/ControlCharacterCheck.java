package io.twinbell.node.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Refuses control and invisible characters in the members that people read in lists, logs and terminals. Only requests
 * are checked: a stored task continues to fire, and can be changed, paused and removed.
 */
public final class ControlCharacterCheck {
    private static final List<String> MEMBERS =
            List.of("app", "name", "owner", "concurrencyKey", "reason", "by", "to", "description");
    private static final List<String> LISTS = List.of("tags", "apps");
    private static final List<String> OF_HANDLER = List.of("message", "key");
    private static final List<String> FOLLOWERS = List.of("then", "thenOnFailure");

    private static final String REFUSED = "must not contain " + ControlCharacters.NAMED;

    private ControlCharacterCheck() {}

    /** @throws InvalidJsonException naming every member with a control character */
    public static void check(JsonNode body) {
        List<FieldError> errors = new ArrayList<>();
        checkMembers(MEMBERS, body, "/", errors);
        checkMembers(OF_HANDLER, body.path("handler"), "/handler/", errors);
        for (String list : LISTS) {
            int index = 0;
            for (JsonNode element : body.path(list)) {
                check(element, "/" + list + "/" + index++, errors);
            }
        }
        FOLLOWERS.forEach(member -> checkFollowers(body.path(member), "/" + member, errors));
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
    }

    /**
     * Checks one line, such as a reason.
     *
     * @param pointer its place, for the message
     * @param text may be null
     */
    public static void checkLine(String pointer, String text) {
        if (text != null && ControlCharacters.isIn(text)) {
            throw new InvalidJsonException(pointer, REFUSED);
        }
    }

    /** Checks members that are texts. Pointers are built for errors only, because a list may have 10,000 tasks. */
    private static void checkMembers(List<String> members, JsonNode of, String parent, List<FieldError> errors) {
        for (String member : members) {
            JsonNode value = of.get(member);
            if (value != null && isRefused(value)) {
                errors.add(new FieldError(parent + member, REFUSED));
            }
        }
    }

    private static void checkFollowers(JsonNode followers, String pointer, List<FieldError> errors) {
        int index = 0;
        for (JsonNode follower : followers) {
            String place = pointer + "/" + index++;
            check(follower, place, errors);
            check(follower.path("app"), place + "/app", errors);
            check(follower.path("name"), place + "/name", errors);
        }
    }

    private static void check(JsonNode value, String pointer, List<FieldError> errors) {
        if (isRefused(value)) {
            errors.add(new FieldError(pointer, REFUSED));
        }
    }

    private static boolean isRefused(JsonNode value) {
        return value.isTextual() && ControlCharacters.isIn(value.textValue());
    }
}
