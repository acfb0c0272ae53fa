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
public final class PauseCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private RequestedBy requestedBy;

    @Mixin
    private UntilOption until;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = requestedBy.body();
        until.into(body);
        JsonNode pause = nodes.repeatable(LIMIT, node -> node.post("/api/v1/cluster/pause", body))
                .path("pause");
        if (output.isDocument()) {
            output.document(spec.commandLine().getOut(), pause);
        } else {
            spec.commandLine().getOut().println(line(pause));
        }
        return 0;
    }

    /** Renders a pause for people. */
    static String line(JsonNode pause) {
        return "all firing is paused since " + pause.path("since").asText() + " by "
                + pause.path("by").asText("an unnamed user") + ": "
                + pause.path("reason").asText("no reason given") + ", until "
                + (pause.hasNonNull("until") ? pause.path("until").asText() : "it is resumed");
    }
}
