package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell release}: ends a hold on automatic takeover. */
@Command(
        name = "release",
        description = "Releases the hold on automatic takeover. A standby without a master takes over at once.",
        footer = {"  twinbell release"})
public final class ReleaseCommand implements Callable<Integer> {
    private static final Duration WRITE = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private ReasonOption reason;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        JsonNode hold = nodes.first(NodeClient::recordedPair).path("hold");
        nodes.repeatable(WRITE, node -> node.post("/api/v1/cluster/release", reason.body()));
        spec.commandLine()
                .getOut()
                .println(
                        hold.isObject()
                                ? "the hold on automatic takeover is released; it existed since "
                                        + hold.path("since").asText() + " by "
                                        + ControlCharacters.spaced(
                                                hold.path("by").asText())
                                : "automatic takeover was not on hold");
        return 0;
    }
}
