package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code twinbell pause}: pauses all firing of the pair, or that of an app, a tag or a handler. */
@Command(
        name = "pause",
        description =
                "Pauses all firing, or that of an app, a tag or a handler, also for tasks that are created later."
                        + " Slots that pass during the pause are SKIPPED with the reason, including those of one-shots. To"
                        + " pause the present tasks of a selection, use 'task pause'. To keep the role where it is, use 'hold'.",
        footer = {
            "  twinbell pause --reason \"data centre moves\" --for 2h",
            "  twinbell pause --until 2026-12-24T18:00:00Z",
            "  twinbell pause --app shop --reason \"stocktaking\""
        })
public final class PauseCommand extends SwitchOnCommand {
    @Mixin
    private StandingPauseOptions standing;

    public PauseCommand() {
        super("pause", PauseCommand::line);
    }

    @Override
    JsonNode send(NodeClient node, ObjectNode body) throws NodeException {
        return standing.isGiven() ? node.put(standing.path(), body) : super.send(node, body);
    }

    /** Renders a pause for people. */
    static String line(JsonNode pause) {
        String what = pause.hasNonNull("key") ? "firing of " + pause.path("key").asText() : "all firing";
        return ControlCharacters.spaced(
                what + " is paused since " + pause.path("since").asText() + " by "
                        + pause.path("by").asText("an unnamed user") + ": "
                        + pause.path("reason").asText("no reason given") + ", until "
                        + (pause.hasNonNull("until") ? pause.path("until").asText() : "it is resumed"));
    }
}
