package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.TaskReference;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell why}: explains why a task ran, did not run, or will run at an instant. */
@Command(
        name = "why",
        description = "Explains in a sentence why a task ran, did not run, or will run at an instant.",
        footer = {
            "  twinbell why shop/close-day --at \"2026-03-29 02:30\"",
            "  twinbell why 17 --at 2026-03-29T01:00:00Z -o json"
        })
public final class WhyCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TASK", converter = TaskReference.Reader.class, description = "Id or APP/NAME.")
    private TaskReference task;

    @Option(
            names = "--at",
            required = true,
            paramLabel = "INSTANT",
            description = "An instant, or a local time in the zone of the task's schedule. A time to the minute stands"
                    + " for the whole minute.")
    private String at;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "The zone of local times. Default: that of the schedule.")
    private String zone;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        String path = new QueryString(task.path() + "/why")
                .with("at", at)
                .with("zone", zone)
                .path();
        JsonNode answer = nodes.repeatable(LIMIT, node -> node.get(path));
        output.println(
                spec.commandLine().getOut(),
                answer,
                () -> answer.path("cause").asText() + ": "
                        + ControlCharacters.spaced(answer.path("sentence").asText()));
        return 0;
    }
}
