package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import java.util.List;

/** An error response in the problem format of RFC 9457. */
public record Problem(ProblemType type, String detail, List<FaultLocation> errors) {
    private static final int MAX_TEXT = 500;
    static final String MEDIA_TYPE = "application/problem+json";
    /** What a client without sufficient credentials should send. */
    public static final String CHALLENGE = "Bearer realm=\"twinbell\"";

    public static final String CONTENT_TYPE = MEDIA_TYPE + ";charset=utf-8";

    /**
     * One error of a request.
     *
     * @param kind {@code pointer} into the body, or {@code parameter} of the query
     */
    record FaultLocation(String kind, String where, String detail) {}

    public static Problem of(ProblemType type, String detail) {
        return new Problem(type, detail, List.of());
    }

    public static Problem inBody(ProblemType type, List<FieldError> errors) {
        List<FaultLocation> shown = errors.stream()
                .limit(InvalidJsonException.MOST_SHOWN)
                .map(error -> new FaultLocation("pointer", cut(error.pointer()), cut(error.detail())))
                .toList();
        return new Problem(type, inWords(shown, errors.size()), shown);
    }

    static Problem inQuery(String parameter, String detail) {
        List<FaultLocation> errors = List.of(new FaultLocation("parameter", cut(parameter), cut(detail)));
        return new Problem(ProblemType.INVALID_REQUEST, inWords(errors, 1), errors);
    }

    public ObjectNode json(String instance) {
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

    /** Returns the problem with at most this number of errors. */
    Problem withErrors(int most) {
        return errors.size() <= most ? this : new Problem(type, detail, errors.subList(0, most));
    }

    /** Bounds the text: a name in a request may be as long as the request, and each error would repeat it. */
    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }

    private static String inWords(List<FaultLocation> shown, int all) {
        FaultLocation first = shown.get(0);
        String more = all == 1
                ? ""
                : all <= shown.size()
                        ? " (and " + (all - 1) + " more, see errors)"
                        : " (and " + (all - 1) + " or more others; errors has the first " + shown.size() + ")";
        return (first.where().isEmpty() ? "" : first.where() + ": ") + first.detail() + more;
    }

    /**
     * Limits the number of errors in one answer: 10,000 errors would make it a hundred times as long as the request.
     */
    public static final class ErrorBudget {
        static final int MOST_ERRORS = InvalidJsonException.MOST_SHOWN;

        private int shown;
        private int leftOut;

        /** Returns the problem with as many of its errors as the budget still allows. */
        public Problem shown(Problem problem) {
            Problem cut = problem.withErrors(MOST_ERRORS - shown);
            shown += cut.errors().size();
            leftOut += problem.errors().size() - cut.errors().size();
            return cut;
        }

        /** The number of errors that were left out. */
        public int leftOut() {
            return leftOut;
        }
    }
}
