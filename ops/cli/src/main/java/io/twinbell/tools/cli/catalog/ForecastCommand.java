package io.twinbell.tools.cli.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Terminal;
import io.twinbell.tools.terminal.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell forecast}: shows the load of the coming days. Nothing is stored. */
@Command(
        name = "forecast",
        sortOptions = false,
        description = {
            "Shows the load of the coming days: busiest minutes, limits that bind, skipped slots, tasks that end and clock"
                    + " changes.",
            "A run takes as long as the task's successful runs of the last day did on average, and no run fails: tasks that"
                    + " follow a success are included, those that follow a failure and retries are not."
        },
        footer = {
            "  twinbell forecast --days 30",
            "  twinbell forecast --app billing --from 2026-03-28T00:00:00Z -o json",
        })
public final class ForecastCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--days",
            paramLabel = "N",
            defaultValue = "1",
            description = "Length of the span, 1 to 30. Default: ${DEFAULT-VALUE}.")
    private int days;

    @Option(names = "--from", paramLabel = "INSTANT", description = "The start of the span. Default: now.")
    private String from;

    @Option(names = "--app", paramLabel = "APP", description = "Only tasks of this app.")
    private String app;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        PrintWriter out = spec.commandLine().getOut();
        JsonNode answer = nodes.get("/api/v1/forecast?days=" + days
                + (from == null ? "" : "&from=" + QueryString.encoded(from))
                + (app == null ? "" : "&app=" + QueryString.encoded(app)));
        output.print(out, answer, () -> text(answer));
        return 0;
    }

    private static String text(JsonNode answer) {
        List<String> parts = new ArrayList<>();
        parts.add(summary(answer));
        parts.add(busiest(answer));
        parts.add(limits(answer));
        parts.add(named(answer.path("skips"), "MOST SKIPPED", "SLOTS", "slots"));
        parts.add(named(answer.path("ending"), "ENDING", "LAST FIRE TIME", "lastFireTime"));
        TextTable changes = new TextTable(Terminal.current(), "CLOCK CHANGE", "ZONE", "FROM", "TO");
        answer.path("clockChanges")
                .forEach(change -> changes.row(
                        change.path("at").asText(),
                        change.path("zone").asText(),
                        change.path("offsetBefore").asText(),
                        change.path("offsetAfter").asText()));
        parts.add(changes.text());
        parts.removeIf(String::isEmpty);
        return String.join("\n", parts);
    }

    private static String summary(JsonNode answer) {
        return answer.path("from").asText() + " to " + answer.path("until").asText() + ": "
                + answer.path("runs").asText() + " runs of "
                + answer.path("tasks").asText() + " tasks, "
                + answer.path("skippedSlots").asText() + " slots skipped, "
                + answer.path("endingTasks").asText() + " tasks end"
                + (answer.path("complete").asBoolean() ? "" : " (incomplete: 10 s were too short for all tasks)")
                + "\n";
    }

    private static String busiest(JsonNode answer) {
        TextTable table = new TextTable(Terminal.current(), "BUSIEST MINUTE", "RUNS", "PEAK SECOND", "RUNS", "TASKS");
        for (JsonNode minute : answer.path("busiestMinutes")) {
            List<String> first = new ArrayList<>();
            minute.path("first")
                    .forEach(task -> first.add(
                            task.path("app").asText() + "/" + task.path("name").asText()));
            table.row(
                    minute.path("at").asText(),
                    minute.path("runs").asText(),
                    minute.path("peakAt").asText(),
                    minute.path("peakRuns").asText(),
                    String.join(" ", first));
        }
        return table.text();
    }

    private static String limits(JsonNode answer) {
        TextTable table = new TextTable(Terminal.current(), "LIMIT", "ALLOWS", "DEMAND", "FIRST AT", "BINDS FOR");
        for (JsonNode limit : answer.path("limits")) {
            String allows = limit.has("per")
                    ? limit.path("maxStarts").asText() + " per "
                            + limit.path("per").asText()
                    : limit.path("maxRunning").asText();
            table.row(
                    limit.path("key").asText(),
                    allows,
                    limit.path("demand").asText(),
                    limit.path("firstAt").asText(),
                    limit.path("binds").asText());
        }
        return table.text();
    }

    private static String named(JsonNode tasks, String title, String column, String member) {
        TextTable table = new TextTable(Terminal.current(), title, column);
        tasks.forEach(task -> table.row(
                task.path("app").asText() + "/" + task.path("name").asText(),
                task.path(member).asText()));
        return table.text();
    }
}
