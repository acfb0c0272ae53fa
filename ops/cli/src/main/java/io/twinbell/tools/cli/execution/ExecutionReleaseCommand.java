package io.twinbell.tools.cli.execution;

import picocli.CommandLine.Command;

/** The command {@code twinbell executions release}: releases executions that seem stuck. */
@Command(
        name = "release",
        description = "Interrupts claimed executions, and settles each by the orphan policy of its task.",
        footer = {"  twinbell executions release 17-1795224600000 --reason \"its node hangs\""})
final class ExecutionReleaseCommand extends EndExecutionCommand {
    ExecutionReleaseCommand() {
        super("release");
    }
}
