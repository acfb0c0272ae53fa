package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Yaml;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell executions show}: shows everything about an execution. */
@Command(
        name = "show",
        description = "Shows an execution: every field, its attempts, its output and its log.",
        footer = {"  twinbell executions show 17-1795224600000", "  twinbell executions show 17-1795224600000 -o json"})
final class ExecutionShowCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The id that 'twinbell executions' lists.")
    private String id;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        String path = ExecutionsCommand.EXECUTIONS + "/" + QueryString.encoded(id);
        JsonNode found = nodes.repeatable(Duration.ofSeconds(10), node -> node.get(path));
        output.print(spec.commandLine().getOut(), found, () -> Yaml.text(found));
        return 0;
    }
}
