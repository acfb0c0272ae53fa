package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.RequestedBy;
import io.twinbell.tools.cli.option.UntilOption;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell hold}: puts automatic takeover on hold for maintenance. */
@Command(
        name = "hold",
        description = "Puts automatic takeover on hold. If the master dies, no node fires until the master returns, the"
                + " hold ends or is released, or a switchover or failover is requested. An existing hold gets the new"
                + " reason and end.",
        footer = {"  twinbell hold --for 2h --reason \"new kernel\"", "  twinbell hold --until 2026-12-24T18:00:00Z"})
public final class HoldCommand implements Callable<Integer> {
    private static final Duration WRITE = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private RequestedBy requestedBy;

    @Mixin
    private UntilOption until;

    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = requestedBy.body();
        until.into(body);
        JsonNode hold = nodes.repeatable(WRITE, node -> node.post("/api/v1/cluster/hold", body))
                .path("hold");
        if (output.isDocument()) {
            output.document(spec.commandLine().getOut(), hold);
        } else {
            spec.commandLine().getOut().println(line(hold));
        }
        return 0;
    }

    /** Renders a hold for people. */
    static String line(JsonNode hold) {
        return "automatic takeover is on hold since " + hold.path("since").asText() + " by "
                + hold.path("by").asText() + ": " + hold.path("reason").asText() + ", until "
                + (hold.hasNonNull("until") ? hold.path("until").asText() : "it is released");
    }
}
