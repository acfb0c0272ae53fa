package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.terminal.Terminal;
import io.twinbell.tools.terminal.TextTable;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders executions as single lines for people. */
public final class ExecutionLines {
    private ExecutionLines() {}

    static TextTable table() {
        return new TextTable(
                Terminal.current(),
                "ID",
                "TASK",
                "FIRE TIME",
                "STATE",
                "ATTEMPT",
                "ORIGIN",
                "NODE",
                "LATE",
                "TOOK",
                "OUTCOME");
    }

    static void add(TextTable table, JsonNode execution) {
        table.row(
                execution.path("id").asText(),
                TaskLines.name(execution),
                fireTimes(execution),
                execution.path("state").asText(),
                execution.path("attempt").asInt() == 0
                        ? ""
                        : execution.path("attempt").asText(),
                origin(execution),
                execution.path("node").asText(""),
                millis(execution.path("latenessMillis")),
                took(execution),
                TaskLines.cut(outcome(execution)));
    }

    /** The outcome of an execution in one line. */
    public static String line(JsonNode execution) {
        String outcome = outcome(execution);
        return execution.path("id").asText() + " " + TaskLines.name(execution) + " "
                + execution.path("state").asText()
                + (outcome.isEmpty() ? "" : ": " + ControlCharacters.spaced(outcome));
    }

    private static String fireTimes(JsonNode execution) {
        String first = TaskLines.instant(execution, "fireTime");
        return execution.path("slots").asLong(1) > 1
                ? first + " and " + (execution.path("slots").asLong() - 1) + " more"
                : first;
    }

    /** The origin of an execution that its schedule did not plan, and the number of its reruns on request. */
    private static String origin(JsonNode execution) {
        int reruns = execution.path("reruns").asInt();
        return Stream.of(
                        execution.path("origin").asText(""),
                        reruns == 0 ? "" : reruns + (reruns == 1 ? " rerun" : " reruns"))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** The error with its code if there is one, otherwise the handler's answer, otherwise the reason why nothing ran. */
    private static String outcome(JsonNode execution) {
        for (String member : new String[] {"error", "output", "reason"}) {
            if (execution.hasNonNull(member) && !execution.path(member).asText().isBlank()) {
                String text = execution.path(member).asText().strip();
                return member.equals("error") && execution.hasNonNull("errorCode")
                        ? execution.path("errorCode").asText() + ": " + text
                        : text;
            }
        }
        return "";
    }

    private static String took(JsonNode execution) {
        if (!execution.hasNonNull("startedAt") || !execution.hasNonNull("endedAt")) {
            return "";
        }
        Duration took = Duration.between(
                Instant.parse(execution.path("startedAt").asText()),
                Instant.parse(execution.path("endedAt").asText()));
        return took.isNegative() ? "" : words(took.toMillis());
    }

    private static String millis(JsonNode number) {
        return number.isNumber() ? words(number.asLong()) : "";
    }

    private static String words(long millis) {
        if (millis < 10_000) {
            return millis + " ms";
        }
        long seconds = millis / 1000;
        return seconds < 600 ? seconds + " s" : seconds / 60 + " min";
    }
}
