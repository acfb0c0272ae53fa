package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.BulkAction;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.RequestedBy;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.cli.option.UntilOption;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task pause}: pauses tasks. */
@Command(
        name = "pause",
        description = "Pauses tasks. Slots that pass during the pause are SKIPPED on resume. A bulk pause leaves tasks"
                + " that are already paused unchanged, with their own reason and end.",
        footer = {
            "  twinbell task pause shop/close-day --reason \"new disks\" --for 2h",
            "  twinbell task pause --app shop --tag nightly --until 2026-12-27",
        })
final class TaskPauseCommand implements Callable<Integer> {
    static final Duration ONE = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private TaskChoice choice;

    @Mixin
    private RequestedBy requestedBy;

    @Mixin
    private UntilOption until;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = requestedBy.body();
        until.into(body);
        if (choice.isByFilter()) {
            new BulkChange(spec.commandLine(), output, "paused")
                    .run(
                            choice.filter(),
                            "/api/v1/tasks/pause",
                            path -> nodes.repeatable(BulkChange.PART, node -> node.post(path, body)));
            return 0;
        }
        return new BulkAction(spec.commandLine(), output).each(choice.tasks(), task -> {
            String path = task.pathById(nodes) + "/pause";
            JsonNode paused = nodes.repeatable(ONE, node -> node.post(path, body));
            return new BulkAction.ItemAnswer(paused, TaskLines.line(paused));
        });
    }
}
