package io.twinbell.ops.cli;

import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.drill.DrillCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The command line of operators: {@code twinbell status}, {@code twinbell switchover} and so on. */
@Command(
        name = "twinbell",
        mixinStandardHelpOptions = true,
        description = "Looks at a Twinbell pair and steers it.",
        subcommands = {
            StatusCommand.class,
            SwitchoverCommand.class,
            HistoryCommand.class,
            VerifyCommand.class,
            SeedDemoCommand.class,
            DrillCommand.class,
        })
public final class TwinbellCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private TwinbellCommand() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new TwinbellCommand()).setExecutionExceptionHandler(new SayWhatIsWrong());
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return CommandLine.ExitCode.USAGE;
    }

    /** A person gets one sentence instead of a stack trace where we know what happened. */
    private static final class SayWhatIsWrong implements IExecutionExceptionHandler {
        @Override
        public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) throws Exception {
            if (e instanceof NodeException known) {
                command.getErr().println(known.getMessage());
                return known.exitCode();
            }
            throw e;
        }
    }
}
