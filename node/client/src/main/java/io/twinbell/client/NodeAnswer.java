package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a node answered.
 *
 * @param afterLostAnswer whether an earlier try of the same call may have been carried out
 */
record NodeAnswer(int status, JsonNode body, boolean afterLostAnswer) {
    boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    /** Returns the body; throws the exception that corresponds to a refusal. */
    JsonNode required() {
        if (!isSuccess()) {
            throw refusal();
        }
        return body;
    }

    TaskRefusedException refusal() {
        return refusal(status, body);
    }

    /** Describes a problem of RFC 9457 with all its errors. */
    static TaskRefusedException refusal(int status, JsonNode problem) {
        StringBuilder text = new StringBuilder("status ").append(status);
        String detail = problem.path("detail").asText(problem.path("title").asText());
        if (!detail.isEmpty()) {
            text.append(": ").append(detail);
        }
        for (JsonNode error : problem.path("errors")) {
            String place = error.path("pointer").asText(error.path("parameter").asText());
            text.append("; ")
                    .append(place)
                    .append(": ")
                    .append(error.path("detail").asText());
        }
        return new TaskRefusedException(status, text.toString(), null);
    }
}
