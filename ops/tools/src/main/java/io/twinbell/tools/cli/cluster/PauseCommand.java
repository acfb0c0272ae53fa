package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import picocli.CommandLine.Command;

/** The command {@code twinbell pause}: pauses all firing of the pair. */
@Command(
        name = "pause",
        description = "Pauses all firing. Slots that pass during the pause are SKIPPED with the reason, including those"
                + " of one-shots. To pause some tasks only, use 'task pause'. To keep the role where it is, use"
                + " 'hold'.",
        footer = {
            "  twinbell pause --reason \"data centre moves\" --for 2h",
            "  twinbell pause --until 2026-12-24T18:00:00Z"
        })
public final class PauseCommand extends SwitchOnCommand {
    public PauseCommand() {
        super("pause");
    }

    @Override
    String describe(JsonNode pause) {
        return line(pause);
    }

    /** Renders a pause for people. */
    static String line(JsonNode pause) {
        return "all firing is paused since " + pause.path("since").asText() + " by "
                + pause.path("by").asText("an unnamed user") + ": "
                + pause.path("reason").asText("no reason given") + ", until "
                + (pause.hasNonNull("until") ? pause.path("until").asText() : "it is resumed");
    }
}
