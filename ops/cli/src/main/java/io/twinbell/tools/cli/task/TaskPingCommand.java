package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.BulkAction;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.TaskReference;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task ping}: records that something outside is alive. */
@Command(
        name = "ping",
        description = "Pings tasks, so that an alert with NO_PING stays silent.",
        exitCodeList = {
            "0:done",
            "1:refused",
            "2:wrong usage",
            "3:no node answers",
        },
        footer = {
            "  twinbell task ping shop/close-day",
        })
final class TaskPingCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

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
        return new BulkAction(spec.commandLine(), output).each(tasks, task -> {
            String path = task.pathById(nodes) + "/ping";
            JsonNode ping = nodes.once(LIMIT, node -> node.post(path, JsonNodeFactory.instance.objectNode()));
            return new BulkAction.ItemAnswer(
                    ping,
                    "task " + ping.path("taskId").asText() + " pinged at "
                            + ping.path("at").asText());
        });
    }
}
