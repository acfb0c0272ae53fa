package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.BulkAction;
import io.twinbell.tools.cli.option.Confirmation;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task rm}: removes tasks. */
@Command(
        name = "rm",
        aliases = "remove",
        description = "Removes tasks and keeps their executions. A bulk removal asks for confirmation, unless --yes is"
                + " given.",
        footer = {
            "  twinbell task rm shop/close-day",
            "  twinbell task rm 17 18 19",
            "  twinbell task rm --app shop --tag obsolete --reason \"the shop is closed\" --yes",
        })
final class TaskRemoveCommand implements Callable<Integer> {
    private static final Duration ONE = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private TaskChoice choice;

    @Mixin
    private Confirmation confirmation;

    @Mixin
    private CommandOutput output;

    @Mixin
    private ReasonOption reason;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        if (choice.isByFilter()) {
            return removeAll();
        }
        return new BulkAction(spec.commandLine(), output).each(choice.tasks(), task -> {
            JsonNode known = task.find(nodes);
            nodes.once(
                    ONE,
                    node -> node.delete(
                            reason.on("/api/v1/tasks/" + known.path("id").asLong())));
            return new BulkAction.ItemAnswer(
                    known, known.path("id").asText() + " " + TaskLines.name(known) + " removed");
        });
    }

    private int removeAll() throws NodeException {
        String question = "This removes all tasks with " + choice.filter().words() + ".";
        if (!confirmation.isGiven(question)) {
            spec.commandLine().getErr().println("Nothing was removed; --yes confirms without a prompt");
            return 1;
        }
        // If a node stops answering, the other one gets the same request, which removes what the first one left.
        new BulkChange(spec.commandLine(), output, "removed")
                .run(
                        () -> choice.filter().of("/api/v1/tasks").with("reason", reason.text()),
                        path -> nodes.repeatable(BulkChange.PART, this::unanswered, node -> node.delete(path)));
        return 0;
    }

    private void unanswered(NodeException.Unreachable cause) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(cause.getMessage() + "; the count leaves out what this node has removed since its last answer");
        err.flush();
    }
}
