package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.ExactJson;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Reads the JSON of {@code --params}. */
public final class ScheduleParams {
    private ScheduleParams() {}

    /** Adds the parameters to the schedule; null for none. */
    public static void put(ObjectNode schedule, String params, CommandLine command) {
        if (params == null) {
            return;
        }
        try {
            JsonNode read = ExactJson.document(params);
            if (read.isObject()) {
                schedule.set("params", read);
                return;
            }
        } catch (JsonProcessingException e) {
            // Reported below, together with JSON that is not an object.
        }
        throw new ParameterException(
                command, "--params takes a JSON object such as '{\"port\":\"Hamburg\"}', not " + params);
    }
}
