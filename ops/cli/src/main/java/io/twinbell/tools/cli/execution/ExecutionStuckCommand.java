package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Terminal;
import io.twinbell.tools.terminal.TextTable;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell executions stuck}: lists executions that seem stuck. */
@Command(
        name = "stuck",
        description = "Lists executions that seem stuck: they run far longer than usual for their task, have not"
                + " started, or belong to an epoch that is over.",
        exitCodeList = {"0:no execution seems stuck", "1:an execution seems stuck", "2:wrong usage", "3:no node answers"
        },
        footer = {"  twinbell executions stuck"})
final class ExecutionStuckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        JsonNode found = nodes.get(ExecutionsCommand.EXECUTIONS + "/stuck");
        if (output.isDocument()) {
            output.document(spec.commandLine().getOut(), found);
        } else if (found.path("items").isEmpty()) {
            spec.commandLine().getErr().println("No stuck executions found");
        } else {
            TextTable table = new TextTable(Terminal.current(), "ID", "TASK", "STATE", "ATTEMPT", "NODE", "WHY");
            found.path("items")
                    .forEach(one -> table.row(
                            one.path("id").asText(),
                            TaskLines.name(one),
                            one.path("state").asText(),
                            one.path("attempt").asText(),
                            one.path("node").asText(),
                            one.path("reason").asText()));
            spec.commandLine().getOut().print(table.text());
            spec.commandLine().getOut().flush();
        }
        return found.path("items").isEmpty() ? 0 : 1;
    }
}
