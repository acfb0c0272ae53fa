package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of a PUT to a named object. Members that only echo an answer, the name and the replaced version, are
 * allowed.
 */
public final class NamedBody {
    /** The query parameter of a PUT that validates everything and stores nothing. */
    public static final String DRY_RUN = "dryRun";

    private NamedBody() {}

    /** Returns the answer to a dry run: the object as it would be stored, with every default. */
    public static ObjectNode preview(String name, String content) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", name);
        return json.setAll((ObjectNode) StrictJson.readStored(content));
    }

    /**
     * Removes name and version from the body; the rest is the object itself.
     *
     * @return the version to replace; null for any version
     * @throws InvalidJsonException if the body has another name, or a read-only member
     */
    public static Long version(ObjectNode body, String nameInPath, int longestName, List<String> readOnly) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        Long version = fields.integer("version", 1, Long.MAX_VALUE);
        String named = fields.text("name", longestName);
        if (named != null && !named.equals(nameInPath)) {
            fields.error("name", "must equal the name in the path, \"" + nameInPath + "\"");
        }
        for (String member : readOnly) {
            if (body.has(member)) {
                fields.error(member, "is read-only");
            }
        }
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        body.remove(List.of("version", "name"));
        return version;
    }
}
