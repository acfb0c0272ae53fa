package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell history}: shows the pair's role changes, newest first. */
@Command(
        name = "history",
        description = "Shows the role changes of the pair, newest first: node, time, reason and the duration of each"
                + " step.",
        footer = {"  twinbell history", "  twinbell history -o json"})
public final class HistoryCommand implements Callable<Integer> {
    private static final int MOST_SHOWN = 10;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() throws NodeException {
        JsonNode history = nodes.first(NodeClient::recordedPair).path("history");
        output.lines(spec.commandLine(), history, "No role changes recorded", HistoryCommand::line);
        return 0;
    }

    private static String line(JsonNode change) {
        return String.format(
                Locale.ROOT,
                "%s %s %s -> %s epoch=%d %d ms: %s%s",
                change.path("at").asText(),
                change.path("node").asText(),
                change.path("from").asText(),
                change.path("to").asText(),
                change.path("epoch").asLong(),
                change.path("tookMillis").asLong(),
                change.path("reason").asText(),
                steps(change.path("steps")) + inDoubt(change.path("inDoubt")));
    }

    /** Names the first slots in doubt; the ledger has all. */
    private static String inDoubt(JsonNode named) {
        if (named.isMissingNode()) {
            return "";
        }
        StringBuilder text = new StringBuilder("; slots in doubt: ")
                .append(named.path("slots").asLong())
                .append(':');
        int shown = Math.min(MOST_SHOWN, named.path("executions").size());
        for (int i = 0; i < shown; i++) {
            text.append(' ').append(named.path("executions").path(i).asText());
        }
        return text.append(named.path("executions").size() > shown ? " …" : "").toString();
    }

    private static String steps(JsonNode steps) {
        StringBuilder text = new StringBuilder();
        for (JsonNode step : steps) {
            text.append(text.isEmpty() ? " (" : ", ")
                    .append(step.path("step").asText())
                    .append(' ')
                    .append(step.path("micros").asLong() / 1000.0)
                    .append(" ms");
        }
        return text.isEmpty() ? "" : text.append(')').toString();
    }
}
