package io.twinbell.tools.cli.execution;

import picocli.CommandLine.Command;

/** The command {@code twinbell executions cancel}: ends executions before they end by themselves. */
@Command(
        name = "cancel",
        description = "Makes the master interrupt executions, or prevent their start.",
        footer = {"  twinbell executions cancel 17-1795224600000 --reason \"wrong data\""})
final class ExecutionCancelCommand extends EndExecutionCommand {
    ExecutionCancelCommand() {
        super("cancel");
    }
}
