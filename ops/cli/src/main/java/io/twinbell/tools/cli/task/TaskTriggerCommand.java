package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.execution.ExecutionLines;
import io.twinbell.tools.cli.option.BulkAction;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task trigger}: runs tasks now, in addition to their schedules. */
@Command(
        name = "trigger",
        description = "Runs tasks now, in addition to their schedules, even if they are paused.",
        exitCodeList = {
            "0:done; with --wait: every run SUCCEEDED",
            "1:refused, or a definition cannot be read; with --wait: a run did not succeed in time",
            "2:wrong usage",
            "3:no node answers",
        },
        footer = {
            "  twinbell task trigger shop/close-day",
            "  twinbell task trigger shop/close-day --wait 60s --reason \"after the repair\"",
            "  twinbell task trigger --app shop --tag nightly",
            "  twinbell task trigger shop/close-day --data '{\"day\":\"2026-03-28\"}'",
        })
final class TaskTriggerCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
    private static final Set<String> UNDER_WAY = Set.of("PENDING", "CLAIMED", "RUNNING", "RETRYING");

    @Spec
    private CommandSpec spec;

    @Mixin
    private TaskChoice choice;

    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason; it is recorded.")
    private String reason;

    @Option(
            names = "--data",
            paramLabel = "JSON|@FILE",
            description = "Data for this run, in place of the task's data.")
    private String data;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Wait for the outcomes, at most this long, such as 30s.")
    private Duration wait;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        if (data != null) {
            body.set("data", new CommandInput(spec.commandLine()).json("--data", data));
        }
        if (choice.isByFilter()) {
            return triggerAll(body);
        }
        List<JsonNode> waited = new ArrayList<>();
        int exitCode = new BulkAction(spec.commandLine(), output).each(choice.tasks(), task -> {
            String path = task.pathById(nodes) + "/trigger";
            JsonNode made = nodes.once(LIMIT, node -> node.post(path, body));
            JsonNode last = wait == null ? made : ended(made.path("id").asText());
            waited.add(last);
            return new BulkAction.ItemAnswer(last, ExecutionLines.line(last));
        });
        boolean succeeded = waited.stream()
                .allMatch(one -> wait == null || one.path("state").asText().equals("SUCCEEDED"));
        return exitCode != 0 || succeeded ? exitCode : 1;
    }

    /** Polls an execution until it has ended. After the time to wait, it may still be under way. */
    private JsonNode ended(String id) throws NodeException {
        CommandClock clock = new CommandClock();
        long began = clock.nanos();
        JsonNode seen = readExecution(id);
        while (UNDER_WAY.contains(seen.path("state").asText())
                && clock.since(began).compareTo(wait) < 0
                && !Thread.currentThread().isInterrupted()) {
            clock.sleep(BETWEEN_LOOKS);
            seen = readExecution(id);
        }
        return seen;
    }

    private JsonNode readExecution(String id) throws NodeException {
        return nodes.repeatable(LOOK, node -> node.get("/api/v1/executions/" + QueryString.encoded(id)));
    }

    private int triggerAll(ObjectNode body) throws NodeException {
        if (wait != null) {
            throw new ParameterException(spec.commandLine(), "--wait needs tasks, not a filter");
        }
        long unreadable = new BulkChange(spec.commandLine(), output, "triggered")
                .run(
                        choice.filter(),
                        "/api/v1/tasks/trigger",
                        path -> nodes.once(BulkChange.PART, node -> node.post(path, body)));
        return unreadable == 0 ? 0 : 1;
    }
}
