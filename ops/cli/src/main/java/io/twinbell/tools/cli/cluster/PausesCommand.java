package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell pauses}: lists the open standing pauses. */
@Command(
        name = "pauses",
        description =
                "Lists the open pauses of apps, tags and handlers: who paused what, why, since when and until when."
                        + " 'status' shows a pause of all firing, and 'task list --state PAUSED' the paused tasks.",
        footer = {"  twinbell pauses", "  twinbell pauses -o json"})
public final class PausesCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() throws NodeException {
        JsonNode pauses = nodes.repeatable(LIMIT, node -> node.get(StandingPauseOptions.PATH))
                .path("items");
        output.lines(spec.commandLine(), pauses, "No app, tag or handler is paused", PauseCommand::line);
        return 0;
    }
}
