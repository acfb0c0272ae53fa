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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Base of the commands that ask the master to end unfinished executions. */
abstract class EndExecutionCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "ID", description = "The id that 'twinbell executions' lists.")
    private List<String> ids;

    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason; it is recorded.")
    private String reason;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    private final String deed;

    /** @param deed the requested action, the last part of the path */
    EndExecutionCommand(String deed) {
        this.deed = deed;
    }

    @Override
    public final Integer call() throws NodeException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        return new BulkAction(spec.commandLine(), output).each(ids, id -> {
            String path = ExecutionsCommand.EXECUTIONS + "/" + QueryString.encoded(id) + "/" + deed;
            JsonNode answer = nodes.once(LIMIT, node -> node.post(path, body));
            return new BulkAction.ItemAnswer(answer, "asked: " + ExecutionLines.line(answer));
        });
    }
}
