package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The members of a Kubernetes object, each with the type that Kubernetes requires; a null counts as missing. */
record KubernetesFields(JsonNode object) {
    private static final int MAX_TEXT = 128 * 1024;

    /** A member that is an object; an empty one if it is missing. */
    KubernetesFields in(String name) {
        JsonNode value = object.path(name);
        require(name, "an object", value.isObject() || isMissing(value));
        return new KubernetesFields(value);
    }

    /** @param otherwise the text if the member is missing */
    String text(String name, String otherwise) {
        JsonNode value = object.path(name);
        if (isMissing(value)) {
            return otherwise;
        }
        require(name, "a text in quotes", value.isTextual());
        require(
                name,
                "a text of at most " + MAX_TEXT + " characters",
                value.textValue().length() <= MAX_TEXT);
        return value.textValue();
    }

    /** A whole number from 0 to the greatest that fits; {@code otherwise} if the member is missing. */
    int count(String name, int otherwise) {
        JsonNode value = object.path(name);
        if (isMissing(value)) {
            return otherwise;
        }
        require(
                name,
                "a whole number from 0 to " + Integer.MAX_VALUE,
                value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= 0);
        return value.intValue();
    }

    boolean is(String name) {
        JsonNode value = object.path(name);
        require(name, "true or false", value.isBoolean() || isMissing(value));
        return value.asBoolean();
    }

    boolean has(String name) {
        return object.hasNonNull(name);
    }

    /** The objects of a list; empty if the member is missing. */
    List<KubernetesFields> objects(String name) {
        List<KubernetesFields> objects = new ArrayList<>();
        for (JsonNode item : list(name)) {
            require(name, "a list of objects", item.isObject());
            objects.add(new KubernetesFields(item));
        }
        return objects;
    }

    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (JsonNode item : list(name)) {
            require(name, "a list of texts in quotes", item.isTextual());
            texts.add(item.textValue());
        }
        return texts;
    }

    private JsonNode list(String name) {
        JsonNode value = object.path(name);
        require(name, "a list", value.isArray() || isMissing(value));
        return value;
    }

    /** The names of members with content that are not among these, in their order. */
    Set<String> others(Set<String> known) {
        Set<String> others = new TreeSet<>();
        object.properties().forEach(member -> {
            JsonNode value = member.getValue();
            boolean isEmpty = value.isNull() || value.isContainerNode() && value.isEmpty();
            if (!isEmpty && !known.contains(member.getKey())) {
                others.add(member.getKey());
            }
        });
        return others;
    }

    private static boolean isMissing(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    private static void require(String name, String what, boolean isMet) {
        if (!isMet) {
            throw new IllegalArgumentException("its " + name + " must be " + what);
        }
    }
}
