package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The kind of an object that people store under a name, such as a calendar: checks names, and writes responses.
 *
 * @param noun with its article, such as "a calendar", for messages
 */
public record NamedObject(String noun) {
    public static final NamedObject ALERT = new NamedObject("an alert");

    /** The query parameter of a PUT that validates everything and stores nothing. */
    public static final String DRY_RUN = "dryRun";

    /** The maximum length of a name, in characters. */
    public static final int MAX_NAME = 200;

    /** The name in the path of a request that stores the object. */
    public String name(Context context) {
        String name = context.pathParam("name");
        boolean isGood = !name.isEmpty()
                && name.codePointCount(0, name.length()) <= MAX_NAME
                && name.chars().noneMatch(Character::isISOControl);
        if (!isGood) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "the name of " + noun + " must have 1 to " + MAX_NAME + " characters and no control characters");
        }
        return name;
    }

    /**
     * Removes the members of a PUT's body that only echo an answer: the replaced version, and the name or key of the
     * object. The rest is the object itself.
     *
     * @param member the member with the name or key
     * @param inPath its value in the path
     * @return the version to replace; null for any version
     * @throws InvalidJsonException if the body has another name, or a read-only member
     */
    public static Long version(ObjectNode body, String member, String inPath, int longest, List<String> readOnly) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        Long version = fields.integer("version", 1, Long.MAX_VALUE);
        String named = fields.text(member, longest);
        if (named != null && !named.equals(inPath)) {
            fields.error(member, "must equal the " + member + " in the path, \"" + inPath + "\"");
        }
        readOnly.stream().filter(body::has).forEach(each -> fields.error(each, "is read-only"));
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        body.remove(List.of("version", member));
        return version;
    }

    /** Returns the answer to a dry run: the object as it would be stored, with every default. */
    public static ObjectNode preview(String name, String content) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", name);
        return json.setAll((ObjectNode) StrictJson.readStored(content));
    }

    /** The path of an object below the path of its kind. */
    public static String path(String parent, String name) {
        return parent + "/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The object as it is stored. */
    public static ObjectNode stored(
            String name, long version, String content, long createdAtMillis, long updatedAtMillis) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", name);
        json.put("version", version);
        json.setAll((ObjectNode) StrictJson.readStored(content));
        json.put("createdAt", Instants.text(createdAtMillis));
        json.put("updatedAt", Instants.text(updatedAtMillis));
        return json;
    }

    public ProblemException unknown(String name) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no " + bare() + " \"" + name + "\"");
    }

    /** @param actual the version that is stored; null if the object does not exist */
    public ProblemException conflict(Long actual) {
        String detail = actual == null
                ? "no " + bare() + " of that name exists; omit \"version\" to create it"
                : "the " + bare() + " has version " + actual + ": read it again";
        return new ProblemException(
                Problem.inBody(ProblemType.VERSION_CONFLICT, List.of(new FieldError("/version", detail))));
    }

    private String bare() {
        return noun.substring(noun.indexOf(' ') + 1);
    }
}
