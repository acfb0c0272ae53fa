package io.twinbell.client;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A payload could not be written as JSON, or the data of a task is not a payload of the handler's type. The message about
 * data names members and types, and never shows values: Jackson's own text quotes values, and advises settings of a
 * mapper that applications cannot change.
 */
public final class PayloadException extends TaskClientException {
    private static final long serialVersionUID = 1L;

    private static final int MOST_NAMES = 20;
    private static final int LONGEST_NAME = 60;
    private static final int LONGEST_TEXT = 500;

    private static final Pattern PLAIN = Pattern.compile("[\\p{IsAlphabetic}\\p{IsDigit}_$.-]+");

    PayloadException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Says where the text stops being JSON. */
    static String noJson(JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        return "it is not one JSON text"
                + (at == null ? "" : ": see line " + at.getLineNr() + ", column " + at.getColumnNr());
    }

    /** Says what of the JSON does not fit the type. */
    static String misfit(JsonProcessingException e, JsonNode json, Class<?> type) {
        List<JsonMappingException.Reference> path =
                e instanceof JsonMappingException mapping ? mapping.getPath() : List.of();
        String place = path.isEmpty() ? "it" : place(path);
        if (e instanceof UnrecognizedPropertyException) {
            return place + " is unknown" + members(json, path, type);
        } else if (e instanceof MismatchedInputException mismatch) {
            return place + mismatch(at(json, path), mismatch.getTargetType()) + members(json, path, type);
        } else if (e instanceof ValueInstantiationException && e.getCause() != null) {
            return place + " was refused: "
                    + bounded(String.valueOf(e.getCause().getMessage()), LONGEST_TEXT);
        }
        // About the type, not the value: for example that it has no constructor.
        String detail = e instanceof InvalidDefinitionException
                ? e.getOriginalMessage()
                : String.valueOf(e.getCause() == null ? e.getClass().getName() : e.getCause());
        return place + " cannot be read: " + bounded(detail, LONGEST_TEXT);
    }

    /** The exception of the application's own code, if that refused the payload; else null. */
    static Throwable ownCause(JsonProcessingException e) {
        return e instanceof MismatchedInputException ? null : e.getCause();
    }

    private static String mismatch(JsonNode value, Class<?> target) {
        if (value.isMissingNode()) {
            return " is missing";
        }
        String kind = value.getNodeType().name().toLowerCase(Locale.ROOT);
        String wanted = target == null ? "" : " where " + target.getSimpleName() + " is expected";
        return value.isNull() ? " is null" + wanted : " has a wrong value, of the JSON type " + kind + "," + wanted;
    }

    /** Names what the object around the place has, and what its type has. */
    private static String members(JsonNode json, List<JsonMappingException.Reference> path, Class<?> type) {
        List<JsonMappingException.Reference> outer = path.isEmpty() ? path : path.subList(0, path.size() - 1);
        Class<?> owner = path.isEmpty() ? type : owner(path.get(path.size() - 1));
        JsonNode object = at(json, outer);
        List<String> expected = ClientJson.MAPPER
                .getDeserializationConfig()
                .introspect(ClientJson.MAPPER.constructType(owner))
                .findProperties()
                .stream()
                .filter(BeanPropertyDefinition::couldDeserialize)
                .map(BeanPropertyDefinition::getName)
                .toList();
        if (expected.isEmpty() || owner.isEnum()) {
            return "";
        }
        String ofType = "; " + owner.getSimpleName() + " has the members " + names(expected.iterator());
        if (!object.isObject()) {
            return ofType;
        }
        String subject = outer.isEmpty() ? "the data" : place(outer);
        return ofType + ", and " + subject + " has " + (object.isEmpty() ? "none" : names(object.fieldNames()));
    }

    /** Jackson gives the class itself while the instance does not exist yet. */
    private static Class<?> owner(JsonMappingException.Reference last) {
        Object from = last.getFrom();
        return from instanceof Class<?> known ? known : from == null ? Object.class : from.getClass();
    }

    private static JsonNode at(JsonNode json, List<JsonMappingException.Reference> path) {
        JsonNode node = json;
        for (JsonMappingException.Reference step : path) {
            node = step.getFieldName() == null ? node.path(step.getIndex()) : node.path(step.getFieldName());
        }
        return node;
    }

    private static String place(List<JsonMappingException.Reference> path) {
        StringBuilder place = new StringBuilder();
        for (JsonMappingException.Reference step : path) {
            if (step.getFieldName() == null) {
                place.append('[').append(step.getIndex()).append(']');
            } else {
                place.append(place.isEmpty() ? "" : ".").append(name(step.getFieldName()));
            }
        }
        return bounded(place.toString(), LONGEST_TEXT);
    }

    private static String names(Iterator<String> all) {
        List<String> named = new ArrayList<>();
        int more = 0;
        while (all.hasNext()) {
            String next = all.next();
            if (named.size() < MOST_NAMES) {
                named.add(name(next));
            } else {
                more++;
            }
        }
        return String.join(", ", named) + (more == 0 ? "" : " and " + more + " more");
    }

    /** A name with other characters, such as line ends, is written as JSON. */
    private static String name(String name) {
        String bounded = bounded(name, LONGEST_NAME);
        return PLAIN.matcher(name).matches()
                ? bounded
                : JsonNodeFactory.instance.textNode(bounded).toString();
    }

    private static String bounded(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length) + "…";
    }
}
