package io.twinbell.tools.cli.task;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task}: parent of the commands for tasks. */
@Command(
        name = "task",
        description = "Adds, shows, changes and removes tasks. A task is named by its id or as APP/NAME.",
        footer = {
            "  twinbell task add shop/close-day --cron \"30 2 * * *\" --http http://127.0.0.1:9000/x",
            "  twinbell task list --app shop --state PAUSED",
        },
        subcommands = {
            TaskAddCommand.class,
            TaskListCommand.class,
            TaskShowCommand.class,
            TaskRemoveCommand.class,
            TaskPauseCommand.class,
            TaskResumeCommand.class,
            TaskBackfillCommand.class,
            TaskTriggerCommand.class,
        })
public final class TaskCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }
}
