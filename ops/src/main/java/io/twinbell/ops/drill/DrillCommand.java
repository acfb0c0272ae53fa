package io.twinbell.ops.drill;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The failover exercises. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        description =
                "Breaks a running pair on purpose, and checks that every planned fire is accounted for. Exit code:"
                        + " 0 passed, 1 not, 2 refused.",
        subcommands = KillCommand.class)
public final class DrillCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private DrillCommand() {}

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }
}
