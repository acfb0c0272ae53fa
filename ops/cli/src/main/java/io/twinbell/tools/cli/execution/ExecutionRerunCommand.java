package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.BulkAction;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell executions rerun}: runs another attempt of finished slots. */
@Command(
        name = "rerun",
        description = "Runs ended executions again, as the next attempt under the same key. Name them by their ids, or"
                + " select at most 10,000 by a filter with --state.",
        footer = {
            "  twinbell executions rerun 17-1795224600000",
            "  twinbell executions rerun --app shop --state FAILED,TIMED_OUT --since 24h --reason \"shop is back\"",
        })
final class ExecutionRerunCommand implements Callable<Integer> {
    private static final Duration ONE = Duration.ofSeconds(10);
    private static final Duration MANY = Duration.ofMinutes(5);

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "ID", description = "The id that 'twinbell executions' lists.")
    private List<String> ids = List.of();

    @Mixin
    private ExecutionFilterOptions filter;

    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason; it is recorded.")
    private String reason;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        if (ids.isEmpty() != filter.isGiven() || ids.isEmpty() && !filter.hasState()) {
            throw new ParameterException(
                    spec.commandLine(), "Give either ids, or a filter with --state such as FAILED");
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        return ids.isEmpty() ? rerunAll(body) : rerun(body);
    }

    private int rerun(ObjectNode body) throws NodeException {
        return new BulkAction(spec.commandLine(), output).each(ids, id -> {
            String path = ExecutionsCommand.EXECUTIONS + "/" + QueryString.encoded(id) + "/rerun";
            JsonNode answer = nodes.once(ONE, node -> node.post(path, body));
            return new BulkAction.ItemAnswer(answer, ExecutionLines.line(answer));
        });
    }

    private int rerunAll(ObjectNode body) throws NodeException {
        String path = filter.of(ExecutionsCommand.EXECUTIONS + "/rerun").path();
        JsonNode answer = nodes.once(MANY, node -> node.post(path, body));
        output.println(
                spec.commandLine().getOut(),
                answer,
                () -> answer.path("rerun").asLong() + " run again"
                        + (answer.path("more").asBoolean() ? "; more executions match, repeat the command" : ""));
        return 0;
    }
}
