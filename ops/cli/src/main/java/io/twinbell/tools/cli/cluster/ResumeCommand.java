package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell resume}: ends a pause of all firing, or a standing pause. */
@Command(
        name = "resume",
        description =
                "Resumes all firing, or that of an app, a tag or a handler. Tasks that were paused individually stay"
                        + " paused. 'pauses' lists what can be resumed.",
        footer = {"  twinbell resume", "  twinbell resume --app shop"})
public final class ResumeCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private CommandOutput output;

    @Mixin
    private ReasonOption reason;

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private StandingPauseOptions standing;

    @Override
    public Integer call() throws NodeException {
        return standing.isGiven() ? endStanding() : endAll();
    }

    private int endStanding() throws NodeException {
        nodes.repeatable(LIMIT, node -> node.delete(reason.on(standing.path())));
        spec.commandLine().getOut().println("firing of " + standing.key() + " is resumed");
        return 0;
    }

    private int endAll() throws NodeException {
        JsonNode was = nodes.first(NodeClient::recordedPair).path("pause");
        JsonNode cluster = nodes.repeatable(LIMIT, node -> node.post("/api/v1/cluster/resume", reason.body()));
        output.println(
                spec.commandLine().getOut(),
                cluster.path("pause"),
                () -> was.isObject()
                        ? "firing is resumed; it was paused since "
                                + was.path("since").asText() + " by "
                                + ControlCharacters.spaced(was.path("by").asText("an unnamed user"))
                        : "firing was not paused");
        return 0;
    }
}
