package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.util.ArrayList;
import java.util.List;

/** The body of a PUT under a name, which may hold what an answer showed: the name again, and the version it replaces. */
final class NamedBody {
    /** The parameter of a PUT that checks everything and stores nothing. */
    static final String DRY_RUN = "dryRun";

    private NamedBody() {}

    /** What a dry run answers: the thing as it would be, with every default. */
    static ObjectNode foreseen(String name, String content) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", name);
        return json.setAll((ObjectNode) StrictJson.readStored(content));
    }

    /**
     * Takes name and version out of the body: the rest is the thing itself.
     *
     * @return the version that is to be replaced; null if it does not matter which
     * @throws InvalidJsonException if the body names another thing, or says what only answers say
     */
    static Long version(ObjectNode body, String nameInPath, int longestName, List<String> readOnly) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        Long version = fields.integer("version", 1, Long.MAX_VALUE);
        String named = fields.text("name", longestName);
        if (named != null && !named.equals(nameInPath)) {
            fields.error("name", "must be as in the path, \"" + nameInPath + "\"");
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
