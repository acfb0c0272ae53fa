package io.twinbell.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.PagedList;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell audit}: shows who changed what, newest first. */
@Command(
        name = "audit",
        description =
                "Shows who changed what, when and from where, newest first. The values before and after are in the"
                        + " JSON output.",
        footer = {
            "  twinbell audit --since 24h --app shop",
            "  twinbell audit --kind TASK --object 17 -o json",
            "  twinbell audit --outcome REFUSED"
        })
final class AuditCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--since",
            defaultValue = "24h",
            converter = DurationConverter.class,
            description = "How far back to look, such as 90m, 24h or 7d. Default: ${DEFAULT-VALUE}.")
    private Duration since;

    @Option(names = "--app", paramLabel = "APP", description = "Changes of this app.")
    private String app;

    @Option(names = "--actor", paramLabel = "NAME", description = "Changes by this actor, such as \"token deploy\".")
    private String actor;

    @Option(names = "--kind", paramLabel = "KIND", description = "The kind of object, such as TASK, LIMIT or ROLE.")
    private String kind;

    @Option(names = "--object", paramLabel = "KEY", description = "The id or key of the object.")
    private String object;

    @Option(names = "--act", paramLabel = "ACT", description = "What was done, such as CHANGE or REMOVE.")
    private String act;

    @Option(names = "--outcome", paramLabel = "OUTCOME", description = "DONE or REFUSED.")
    private String outcome;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "COUNT",
            defaultValue = "100",
            description = "Number of entries at most. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        String from = new CommandClock()
                .now()
                .minus(since)
                .truncatedTo(ChronoUnit.MILLIS)
                .toString();
        ArrayNode found = JsonNodeFactory.instance.arrayNode();
        boolean more = PagedList.read(nodes, () -> query(from), Math.max(0, limit), found::add);
        PrintWriter out = spec.commandLine().getOut();
        if (output.isDocument()) {
            output.document(out, found);
        } else {
            found.forEach(entry -> out.println(line(entry)));
            out.flush();
        }
        if (more) {
            spec.commandLine()
                    .getErr()
                    .println("There are more than " + found.size() + " entries; -n COUNT lists more");
        } else if (found.isEmpty() && !output.isDocument()) {
            spec.commandLine().getErr().println("No entries found");
        }
        return 0;
    }

    private QueryString query(String from) {
        return new QueryString("/api/v1/audit")
                .with("since", from)
                .with("app", app)
                .with("actor", actor)
                .with("kind", kind)
                .with("object", object)
                .with("act", act)
                .with("outcome", outcome);
    }

    private static String line(JsonNode entry) {
        String named = entry.path("name").isTextual()
                ? " " + entry.path("app").asText() + "/" + entry.path("name").asText()
                : "";
        String counted =
                entry.path("items").asLong() > 1 ? " x" + entry.path("items").asLong() : "";
        boolean isRefused = entry.path("outcome").asText().equals("REFUSED");
        String refused = isRefused ? ": " + entry.path("request").asText() : "";
        String reason =
                entry.path("detail").isTextual() ? ": " + entry.path("detail").asText() : "";
        return ControlCharacters.spaced(String.format(
                Locale.ROOT,
                "%s %s %s %s%s%s%s by %s (%s from %s)%s%s",
                entry.path("at").asText(),
                entry.path("act").asText(),
                entry.path("kind").asText(),
                entry.path("object").asText("-"),
                named,
                counted,
                isRefused ? " REFUSED" : "",
                entry.path("actor").asText(),
                entry.path("channel").asText(),
                entry.path("address").asText("-"),
                refused,
                reason));
    }
}
