package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.PagedList;
import io.twinbell.tools.cli.option.TaskFilterOptions;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.TextTable;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task list}: lists the tasks that a filter selects. */
@Command(
        name = "list",
        aliases = "ls",
        description = "Lists tasks, oldest first.",
        footer = {
            "  twinbell task list",
            "  twinbell task list --app shop --tag nightly -o json",
            "  twinbell task list --state ERROR --all",
        })
final class TaskListCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private TaskFilterOptions filter;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "COUNT",
            defaultValue = "100",
            description = "Number of tasks at most. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--all", description = "List all tasks.")
    private boolean all;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ArrayNode found = JsonNodeFactory.instance.arrayNode();
        int most = all ? Integer.MAX_VALUE : Math.max(0, limit);
        boolean more = PagedList.read(nodes, () -> filter.of("/api/v1/tasks"), most, found::add);
        if (output.isDocument()) {
            output.document(spec.commandLine().getOut(), found);
        } else {
            TextTable table = TaskLines.tasks();
            found.forEach(task -> TaskLines.add(table, task));
            spec.commandLine().getOut().print(table.text());
            spec.commandLine().getOut().flush();
            for (JsonNode task : found) {
                String unreadable = TaskLines.unreadable(task);
                if (unreadable != null) {
                    spec.commandLine().getErr().println(unreadable);
                }
            }
        }
        if (more) {
            spec.commandLine().getErr().println("There are more than " + found.size() + " tasks; --all lists them");
        } else if (found.isEmpty() && !output.isDocument()) {
            spec.commandLine().getErr().println("No tasks found");
        }
        return 0;
    }
}
