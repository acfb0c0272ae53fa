package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.PagedList;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.TextTable;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell executions}: shows the ledger. */
@Command(
        name = "executions",
        aliases = "execution",
        description = "Lists executions, newest fire time first. Its subcommands show or change executions.",
        footer = {
            "  twinbell executions --task shop/close-day",
            "  twinbell executions --app shop --state FAILED,TIMED_OUT --since 24h",
            "  twinbell executions show 17-1795224600000",
        },
        subcommands = {
            ExecutionShowCommand.class,
            ExecutionCancelCommand.class,
            ExecutionRerunCommand.class,
            ExecutionStuckCommand.class,
            ExecutionReleaseCommand.class,
        })
public final class ExecutionsCommand implements Callable<Integer> {
    static final String EXECUTIONS = "/api/v1/executions";

    @Spec
    private CommandSpec spec;

    @Mixin
    private ExecutionFilterOptions filter;

    @Option(names = "--node", paramLabel = "NODE", description = "Executions claimed by this node.")
    private String node;

    @Option(names = "--epoch", paramLabel = "EPOCH", description = "Executions claimed under this epoch.")
    private Long epoch;

    @Option(names = "--oldest", description = "List the oldest fire time first.")
    private boolean oldest;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "COUNT",
            defaultValue = "20",
            description = "Number of executions at most. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ArrayNode found = JsonNodeFactory.instance.arrayNode();
        boolean more = PagedList.read(nodes, this::query, Math.max(0, limit), found::add);
        if (output.isDocument()) {
            output.document(spec.commandLine().getOut(), found);
        } else {
            TextTable table = ExecutionLines.table();
            found.forEach(execution -> ExecutionLines.add(table, execution));
            spec.commandLine().getOut().print(table.text());
            spec.commandLine().getOut().flush();
        }
        if (more) {
            spec.commandLine()
                    .getErr()
                    .println("There are more than " + found.size() + " executions; -n COUNT lists more");
        } else if (found.isEmpty() && !output.isDocument()) {
            spec.commandLine().getErr().println("No executions found");
        }
        return 0;
    }

    private QueryString query() {
        return filter.of(EXECUTIONS).with("node", node).with("epoch", epoch).with("order", oldest ? "oldest" : null);
    }
}
