package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.InstantConverter;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.TaskReference;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task backfill}: runs slots of a past span that the task did not owe. */
@Command(
        name = "backfill",
        description =
                "Runs the slots that the schedule of a task had in a past span and that the task did not owe, such"
                        + " as those before it was created. Each runs with its own fire time, one after the other. Slots that"
                        + " the ledger has already are left out.",
        footer = {
            "  twinbell task backfill shop/close-day --from 2026-03-01 --to 2026-03-08 --dry-run",
            "  twinbell task backfill shop/close-day --from 2026-03-01 --to 2026-03-08 --pace 30s --reason \"new report\"",
            "  twinbell task backfill shop/close-day --cancel",
        })
final class TaskBackfillCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "TASK",
            converter = TaskReference.Reader.class,
            description = "The task's id, or APP/NAME.")
    private TaskReference task;

    @Option(names = "--from", paramLabel = "TIME", description = "The start of the span: a date or a time (UTC).")
    private String from;

    @Option(names = "--to", paramLabel = "TIME", description = "The end of the span, exclusive, not later than now.")
    private String to;

    @Option(
            names = "--pace",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "The least time between the starts of two slots. Default: 1s.")
    private Duration pace;

    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason; it is recorded.")
    private String reason;

    @Option(names = "--dry-run", description = "Show the slots, and enter nothing.")
    private boolean dryRun;

    @Option(names = "--cancel", description = "Cancel the backfilled slots of the task that have not started.")
    private boolean cancel;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        if (cancel == (from != null || to != null) || (from == null) != (to == null)) {
            throw new ParameterException(spec.commandLine(), "Give --from and --to, or --cancel");
        }
        if (cancel && (dryRun || pace != null)) {
            throw new ParameterException(
                    spec.commandLine(), "--dry-run and --pace are for --from and --to, not for --cancel");
        }
        ObjectNode body = cancel ? null : body();
        String path = task.pathById(nodes) + "/backfill";
        String cancelPath = new QueryString(path).with("reason", reason).path();
        JsonNode answer = nodes.repeatable(LIMIT, node -> cancel ? node.delete(cancelPath) : node.post(path, body));
        PrintWriter out = spec.commandLine().getOut();
        if (output.isDocument()) {
            output.document(out, answer);
        } else if (cancel) {
            out.println(answer.path("cancelled").asInt() + " backfilled slots are cancelled");
        } else {
            print(out, answer);
        }
        return 0;
    }

    private void print(PrintWriter out, JsonNode answer) {
        answer.path("fireTimes").forEach(fireTime -> out.println(fireTime.asText()));
        int entered = answer.path("entered").asInt();
        int listed = answer.path("fireTimes").size();
        if (entered > listed) {
            out.println("and " + (entered - listed) + " more");
        }
        out.println(entered + " of " + answer.path("slots").asInt() + " slots in the span "
                + (dryRun ? "would be" : "are") + " entered");
    }

    private ObjectNode body() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("from", time("--from", from)).put("to", time("--to", to)).put("dryRun", dryRun);
        if (pace != null) {
            body.put("pace", pace.toString());
        }
        if (reason != null) {
            body.put("reason", reason);
        }
        return body;
    }

    private String time(String option, String typed) {
        return InstantConverter.read(spec, option, typed, ZoneOffset.UTC).toString();
    }
}
