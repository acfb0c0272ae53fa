package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.PagedList;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Terminal;
import io.twinbell.tools.terminal.TextTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell drills}: shows the results of drills of this pair, newest first. */
@Command(
        name = "drills",
        description =
                "Shows the results of drills of this pair, newest first. The pair keeps the latest 200. The reports"
                        + " are in the JSON output.",
        footer = {"  twinbell drills", "  twinbell drills -n 1 -o json"})
public final class DrillsCommand implements Callable<Integer> {
    private static final int MOST = 200;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "COUNT",
            defaultValue = "20",
            description = "Number of results at most. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ArrayNode found = JsonNodeFactory.instance.arrayNode();
        PagedList.read(
                nodes, () -> new QueryString("/api/v1/cluster/drills"), Math.min(Math.max(0, limit), MOST), found::add);
        PrintWriter out = spec.commandLine().getOut();
        if (output.isDocument()) {
            output.document(out, found);
            return 0;
        }
        TextTable table = new TextTable(
                Terminal.current(), "TIME", "DRILL", "VERDICT", "MASTER", "SUCCESSOR", "EPOCH", "GAP", "BY");
        found.forEach(result -> table.row(
                result.path("at").asText(),
                result.path("drill").asText(),
                result.path("passed").asBoolean() ? "PASSED" : "FAILED",
                result.path("master").asText("-"),
                result.path("successor").asText("-"),
                result.path("epoch").asText("-"),
                gap(result.path("gapMillis")),
                result.path("by").asText()));
        out.print(table.text());
        out.flush();
        if (found.isEmpty()) {
            spec.commandLine().getErr().println("This pair was not drilled yet");
        }
        return 0;
    }

    private static String gap(JsonNode millis) {
        return millis.isNumber() ? millis.asLong() + " ms" : "-";
    }
}
