package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.BulkAction;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task resume}: resumes paused tasks. */
@Command(
        name = "resume",
        description = "Resumes paused tasks from now on, and reads the definitions of tasks in state ERROR again.",
        footer = {"  twinbell task resume shop/close-day", "  twinbell task resume --app shop --tag nightly"})
final class TaskResumeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private TaskChoice choice;

    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason.")
    private String reason;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (reason != null) {
            body.put("reason", reason);
        }
        if (choice.isByFilter()) {
            new BulkChange(spec.commandLine(), output, "resumed")
                    .run(
                            choice.filter(),
                            "/api/v1/tasks/resume",
                            path -> nodes.repeatable(BulkChange.PART, node -> node.post(path, body)));
            return 0;
        }
        return new BulkAction(spec.commandLine(), output).each(choice.tasks(), task -> {
            String path = task.pathById(nodes) + "/resume";
            JsonNode resumed = nodes.repeatable(TaskPauseCommand.ONE, node -> node.post(path, body));
            return new BulkAction.ItemAnswer(resumed, TaskLines.line(resumed));
        });
    }
}
