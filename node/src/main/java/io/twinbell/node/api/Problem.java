package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import java.util.List;

/** Why a request was not carried out, as RFC 9457 writes it. */
record Problem(ProblemType type, String detail, List<At> errors) {
    static final String MEDIA_TYPE = "application/problem+json";
    static final String CONTENT_TYPE = MEDIA_TYPE + ";charset=utf-8";

    /**
     * One thing that is wrong.
     *
     * @param kind {@code pointer} into the body, or {@code parameter} of the query
     */
    record At(String kind, String where, String detail) {}

    static Problem of(ProblemType type, String detail) {
        return new Problem(type, detail, List.of());
    }

    static Problem inBody(ProblemType type, List<FieldError> errors) {
        List<At> all = errors.stream()
                .map(error -> new At("pointer", error.pointer(), error.detail()))
                .toList();
        return new Problem(type, inWords(all), all);
    }

    static Problem inQuery(String parameter, String detail) {
        List<At> errors = List.of(new At("parameter", parameter, detail));
        return new Problem(ProblemType.INVALID_REQUEST, inWords(errors), errors);
    }

    ObjectNode json(String instance) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("type", type.uri());
        json.put("title", type.title());
        json.put("status", type.status());
        json.put("detail", detail);
        if (instance != null) {
            json.put("instance", instance);
        }
        if (!errors.isEmpty()) {
            ArrayNode list = json.putArray("errors");
            errors.forEach(
                    error -> list.addObject().put(error.kind(), error.where()).put("detail", error.detail()));
        }
        return json;
    }

    private static String inWords(List<At> errors) {
        At first = errors.get(0);
        String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more, see errors)";
        return (first.where().isEmpty() ? "" : first.where() + ": ") + first.detail() + more;
    }
}
