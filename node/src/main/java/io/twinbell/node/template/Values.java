package io.twinbell.node.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.function.UnaryOperator;

/**
 * What the variables stand for in one attempt.
 *
 * @param slot the idempotency key
 * @param data the task's data, or null
 * @param secrets the value of a secret by its name; throws {@link TemplateException} for one that there is not
 */
public record Values(String slot, String fireTime, int attempt, JsonNode data, UnaryOperator<String> secrets) {
    /** Values in the shape of real ones, to try a template with before it is stored. */
    public static Values sample(JsonNode data) {
        return new Values(
                "9000000000000000000/2199-12-31T23:59:59.999Z", "2199-12-31T23:59:59.999Z", 1000, data, name -> "x");
    }

    /** @throws TemplateException if there is no such value */
    public JsonNode of(Variable variable) {
        return switch (variable.kind()) {
            case SLOT -> TextNode.valueOf(slot);
            case FIRE_TIME -> TextNode.valueOf(fireTime);
            case ATTEMPT -> IntNode.valueOf(attempt);
            case DATA -> inData(variable);
            case SECRET -> TextNode.valueOf(secrets.apply(variable.path().get(0)));
        };
    }

    private JsonNode inData(Variable variable) {
        JsonNode found = data == null ? MissingNode.getInstance() : data;
        for (String step : variable.path()) {
            found = found.isArray() ? element(found, step) : found.path(step);
        }
        if (found.isMissingNode()) {
            throw new TemplateException("the task's data has no \"" + variable + "\"");
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
