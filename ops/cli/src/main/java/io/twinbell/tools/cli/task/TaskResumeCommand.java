package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.BulkAction;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task resume}: resumes paused tasks. */
@Command(
        name = "resume",
        description = "Resumes paused tasks from now on, and reads the definitions of tasks in state ERROR again. Slots"
                + " that passed during the pause are SKIPPED, except for those that --catch-up names.",
        footer = {
            "  twinbell task resume shop/close-day",
            "  twinbell task resume shop/close-day --catch-up last",
            "  twinbell task resume --app shop --tag nightly --catch-up 5",
        })
final class TaskResumeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private TaskChoice choice;

    @Mixin
    private ReasonOption reason;

    @Option(
            names = "--catch-up",
            paramLabel = "SLOTS",
            description =
                    "Which of the slots that passed during the pause run now, one after the other: none, last, or the"
                            + " maximum number of the newest (at most 1000; with a filter, 10 of each task). Default: none.")
    private String catchUp = "none";

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = reason.body();
        addCatchUp(body);
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

    private void addCatchUp(ObjectNode body) {
        if (catchUp.equals("none")) {
            return;
        }
        if (catchUp.equals("last")) {
            body.put("catchUp", "LAST");
            return;
        }
        int most = choice.isByFilter() ? 10 : 1000;
        OptionalInt slots = number(catchUp);
        if (slots.isEmpty() || slots.getAsInt() < 1 || slots.getAsInt() > most) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--catch-up must be none, last or a number from 1 to " + most + ", not \"" + catchUp + "\"");
        }
        body.put("catchUp", "ALL").put("max", slots.getAsInt());
    }

    private static OptionalInt number(String text) {
        try {
            return OptionalInt.of(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }
}
