package io.twinbell.node.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** Applies a JSON Merge Patch (RFC 7396): members of the patch replace those of the target, and null removes them. */
public final class MergePatch {
    private MergePatch() {}

    /** Changes {@code target} and returns it. */
    public static ObjectNode apply(ObjectNode target, ObjectNode patch) {
        for (Map.Entry<String, JsonNode> member : patch.properties()) {
            if (member.getValue().isNull()) {
                target.remove(member.getKey());
            } else if (member.getValue() instanceof ObjectNode inner) {
                ObjectNode into = target.get(member.getKey()) instanceof ObjectNode existing
                        ? existing
                        : JsonNodeFactory.instance.objectNode();
                target.set(member.getKey(), apply(into, inner));
            } else {
                target.set(member.getKey(), member.getValue());
            }
        }
        return target;
    }
}
