package io.twinbell.ops.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.terminal.Output;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops tasks from firing. */
@Command(
        name = "pause",
        description =
                "Pauses tasks. What passes meanwhile is SKIPPED when they go on. In bulk, what was paused before keeps"
                        + " its own reason and end.",
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
    private Asker asker;

    @Mixin
    private Until until;

    @Mixin
    private Output output;

    @Mixin
    private Pair pair;

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = asker.body();
        until.into(body);
        if (choice.isByFilter()) {
            new BulkChange(spec.commandLine(), output, "paused")
                    .run(
                            choice.filter(),
                            "/api/v1/tasks/pause",
                            path -> pair.repeatable(BulkChange.PART, node -> node.post(path, body)));
            return 0;
        }
        return new OneByOne(spec.commandLine(), output).each(choice.tasks(), task -> {
            String path = task.pathById(pair) + "/pause";
            JsonNode paused = pair.repeatable(ONE, node -> node.post(path, body));
            return new OneByOne.Done(paused, TaskLines.line(paused));
        });
    }
}
