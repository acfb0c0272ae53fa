package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * A difference in one member.
 *
 * @param pointer the member, such as {@code /schedule/cron}
 * @param from the pair's value; missing if there is none
 * @param to the file's value
 */
public record MemberDifference(String pointer, JsonNode from, JsonNode to) {
    /** All differences between two objects. Lists are compared as a whole. */
    public static List<MemberDifference> between(JsonNode from, JsonNode to) {
        List<MemberDifference> found = new ArrayList<>();
        compare("", from, to, found);
        return found;
    }

    private static void compare(String pointer, JsonNode from, JsonNode to, List<MemberDifference> found) {
        if (from instanceof ObjectNode before && to instanceof ObjectNode after) {
            TreeSet<String> members = new TreeSet<>();
            before.fieldNames().forEachRemaining(members::add);
            after.fieldNames().forEachRemaining(members::add);
            members.forEach(member -> compare(
                    pointer + "/" + member.replace("~", "~0").replace("/", "~1"),
                    Objects.requireNonNullElse(before.get(member), MissingNode.getInstance()),
                    Objects.requireNonNullElse(after.get(member), MissingNode.getInstance()),
                    found));
        } else if (!isSame(from, to)) {
            found.add(new MemberDifference(pointer, from, to));
        }
    }

    /** Compares numbers by value. Null counts as a missing member. */
    private static boolean isSame(JsonNode from, JsonNode to) {
        boolean bothAbsent = (from.isNull() || from.isMissingNode()) && (to.isNull() || to.isMissingNode());
        return bothAbsent || from.equals(MemberDifference::compareValues, to);
    }

    private static int compareValues(JsonNode from, JsonNode to) {
        if (from.isNumber() && to.isNumber()) {
            return from.decimalValue().compareTo(to.decimalValue());
        }
        return from.equals(to) ? 0 : 1;
    }

    /** The difference in one line, for people. */
    public String line() {
        return pointer + ": " + word(from) + " -> " + word(to);
    }

    private static String word(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? "(none)" : value.toString();
    }

    /** The difference as JSON members, for programs. */
    public Map<String, JsonNode> members() {
        return Map.of("from", from, "to", to);
    }
}
