package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Followers;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads and counts the tasks that follow a task. They need not exist yet. The statement that records the outcome
 * decides in the database which tasks follow.
 */
final class FollowersReader {
    private FollowersReader() {}

    static Followers read(Fields fields, String app, ObjectNode normalized) {
        Followers read =
                new Followers(read(fields, "then", app, normalized), read(fields, "thenOnFailure", app, normalized));
        return read.areAny() ? read : Followers.NONE;
    }

    /** Returns the number of tasks in that link. */
    private static int read(Fields fields, String link, String app, ObjectNode normalized) {
        JsonNode given = fields.json(link);
        if (given == null) {
            return 0;
        }
        if (!given.isArray() || given.size() > TaskMembers.MAX_FOLLOWERS) {
            fields.error(link, "must be a list of at most " + TaskMembers.MAX_FOLLOWERS + " tasks");
            return 0;
        }
        Set<Follower> followers = new LinkedHashSet<>();
        for (int i = 0; i < given.size(); i++) {
            followers.add(follower(fields, "/" + link + "/" + i, given.get(i), app));
        }
        if (!followers.isEmpty()) {
            write(followers, normalized.putArray(link));
        }
        return followers.size();
    }

    private record Follower(String app, String name) {}

    private static Follower follower(Fields fields, String pointer, JsonNode given, String app) {
        List<FieldError> errors = new ArrayList<>();
        Follower follower = given.isObject() ? object(given, errors, app) : name(given, errors, app);
        errors.forEach(error -> fields.errorBelow(pointer + error.pointer(), error.detail()));
        return follower;
    }

    private static Follower object(JsonNode given, List<FieldError> errors, String app) {
        Fields members = Fields.of(given, "", errors);
        String otherApp = members.line("app", TaskMembers.MAX_NAME);
        Follower follower =
                new Follower(otherApp == null ? app : otherApp, members.requiredLine("name", TaskMembers.MAX_NAME));
        members.refuseUnknown();
        return follower;
    }

    private static Follower name(JsonNode given, List<FieldError> errors, String app) {
        String name = given.textValue();
        boolean isName = name != null
                && !name.isEmpty()
                && name.codePointCount(0, name.length()) <= TaskMembers.MAX_NAME
                && name.chars().noneMatch(Character::isISOControl);
        if (!isName) {
            errors.add(new FieldError("", "must be a task's name, or {\"app\": …, \"name\": …}"));
        }
        return new Follower(app, name);
    }

    private static void write(Set<Follower> followers, ArrayNode list) {
        followers.forEach(
                follower -> list.addObject().put("app", follower.app()).put("name", follower.name()));
    }
}
