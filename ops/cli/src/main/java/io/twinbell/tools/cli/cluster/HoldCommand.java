package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import picocli.CommandLine.Command;

/** The command {@code twinbell hold}: puts automatic takeover on hold for maintenance. */
@Command(
        name = "hold",
        description = "Puts automatic takeover on hold. If the master dies, no node fires until the master returns, the"
                + " hold ends or is released, or a switchover or failover is requested. An existing hold gets the new"
                + " reason and end.",
        footer = {"  twinbell hold --for 2h --reason \"new kernel\"", "  twinbell hold --until 2026-12-24T18:00:00Z"})
public final class HoldCommand extends SwitchOnCommand {
    public HoldCommand() {
        super("hold", HoldCommand::line);
    }

    /** Renders a hold for people. */
    static String line(JsonNode hold) {
        return ControlCharacters.spaced(
                "automatic takeover is on hold since " + hold.path("since").asText() + " by "
                        + hold.path("by").asText() + ": " + hold.path("reason").asText() + ", until "
                        + (hold.hasNonNull("until") ? hold.path("until").asText() : "it is released"));
    }
}
