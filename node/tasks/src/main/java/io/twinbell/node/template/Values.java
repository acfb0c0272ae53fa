package io.twinbell.node.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.twinbell.node.template.Variable.Kind;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The values of a template's variables in one attempt.
 *
 * @param known the available values, by their kind
 * @param hasGaps whether a path without a value is replaced by nothing; otherwise it is an error
 * @param followers in a sample, the task's data in a run that follows another one; otherwise missing
 * @param secrets returns a secret by its name; throws {@link TemplateException} for an unknown one
 */
public record Values(Map<Kind, JsonNode> known, boolean hasGaps, JsonNode followers, UnaryOperator<String> secrets) {
    private static final int SAMPLE_ATTEMPT = 1000;
    private static final String SAMPLE_TIME = "2199-12-31T23:59:59.999Z";
    private static final JsonNode NONE = MissingNode.getInstance();

    /**
     * Creates the values of a task's attempt.
     *
     * @param slot the idempotency key
     * @param data the task's data, or null
     */
    public Values(String slot, String fireTime, int attempt, JsonNode data, UnaryOperator<String> secrets) {
        this(ofTask(slot, fireTime, attempt, data), false, NONE, secrets);
    }

    private static Map<Kind, JsonNode> ofTask(String slot, String fireTime, int attempt, JsonNode data) {
        Map<Kind, JsonNode> known = new EnumMap<>(Kind.class);
        known.put(Kind.SLOT, TextNode.valueOf(slot));
        known.put(Kind.FIRE_TIME, TextNode.valueOf(fireTime));
        known.put(Kind.ATTEMPT, IntNode.valueOf(attempt));
        known.put(Kind.DATA, data == null ? NONE : data);
        return known;
    }

    /**
     * Returns sample values in the form of real ones, for checking a template before it is stored. Other tasks decide
     * whether the task follows them, so each template may name what a follower finds in its data.
     */
    public static Values sample(JsonNode data) {
        String slot = "9000000000000000000/" + SAMPLE_TIME;
        ObjectNode followers =
                data instanceof ObjectNode object ? object.deepCopy() : JsonNodeFactory.instance.objectNode();
        if (data != null && !data.isObject()) {
            followers.set("value", data);
        }
        ObjectNode parent = run(followers.putObject("parent"));
        parent.put("state", "SUCCEEDED").put("output", "x").put("error", "x").put("depth", 1);
        run(parent.putObject("root"));
        return new Values(ofTask(slot, SAMPLE_TIME, SAMPLE_ATTEMPT, data), false, followers, name -> "x");
    }

    private static ObjectNode run(ObjectNode json) {
        json.putObject("task").put("id", Long.MAX_VALUE).put("app", "x").put("name", "x");
        return json.put("fireTime", SAMPLE_TIME);
    }

    /**
     * Returns the values of an attempt to deliver an alert. Alerts have different members, so a missing value must not
     * prevent the delivery.
     */
    public static Values ofAlert(JsonNode alert, int attempt, UnaryOperator<String> secrets) {
        return new Values(Map.of(Kind.ALERT, alert, Kind.ATTEMPT, IntNode.valueOf(attempt)), true, NONE, secrets);
    }

    /**
     * Returns sample values for checking the template of a webhook before it is stored; the sample has every member
     * that an alert may have.
     */
    public static Values sampleOfAlert(JsonNode alert) {
        return new Values(
                Map.of(Kind.ALERT, alert, Kind.ATTEMPT, IntNode.valueOf(SAMPLE_ATTEMPT)), false, NONE, name -> "x");
    }

    /** @throws TemplateException if there is no such value */
    public JsonNode of(Variable variable) {
        if (variable.kind() == Kind.SECRET) {
            return TextNode.valueOf(secrets.apply(variable.path().get(0)));
        }
        JsonNode found = known.get(variable.kind());
        if (found == null) {
            throw new TemplateException(
                    variable.kind() == Kind.ALERT
                            ? "only the webhook of an alert has this variable"
                            : "an alert does not have this variable; known are alert, alert.PATH, attempt and secret.NAME");
        }
        found = at(found, variable);
        if (found.isMissingNode()
                && variable.kind() == Kind.DATA
                && !variable.path().isEmpty()) {
            found = at(followers, variable);
        }
        if (!found.isMissingNode()) {
            return found;
        }
        if (hasGaps) {
            return NullNode.getInstance();
        }
        String whose = variable.kind() == Kind.ALERT ? "an alert" : "the task's data";
        throw new TemplateException(whose + " has no \"" + variable + "\"");
    }

    private static JsonNode at(JsonNode root, Variable variable) {
        JsonNode found = root;
        for (String step : variable.path()) {
            found = found.isArray() ? element(found, step) : found.path(step);
        }
        return found;
    }

    private static JsonNode element(JsonNode array, String step) {
        try {
            return array.path(Integer.parseInt(step));
        } catch (NumberFormatException e) {
            return MissingNode.getInstance();
        }
    }
}
