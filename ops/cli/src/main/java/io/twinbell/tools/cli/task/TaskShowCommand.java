package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.TaskReference;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Yaml;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task show}: shows everything about a task. */
@Command(
        name = "show",
        description = "Shows a task: every field, including defaults, and its state. Several tasks are printed as one"
                + " list.",
        footer = {"  twinbell task show shop/close-day", "  twinbell task show 17 -o json"})
final class TaskShowCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "TASK",
            converter = TaskReference.Reader.class,
            description = "The task's id, or APP/NAME.")
    private List<TaskReference> tasks;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ArrayNode found = JsonNodeFactory.instance.arrayNode();
        for (TaskReference task : tasks) {
            found.add(task.find(nodes));
        }
        JsonNode shown = found.size() == 1 ? found.get(0) : found;
        output.print(spec.commandLine().getOut(), shown, () -> Yaml.text(shown));
        return 0;
    }
}
