package io.twinbell.ops.cli;

import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.drill.DrillCommand;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
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
            FailoverCommand.class,
            HoldCommand.class,
            ReleaseCommand.class,
            HistoryCommand.class,
            VerifyCommand.class,
            PreviewCommand.class,
            CalendarCommand.class,
            AlertCommand.class,
            SeedDemoCommand.class,
            DrillCommand.class,
            BenchCommand.class,
        })
public final class TwinbellCommand implements Callable<Integer> {
    private static final String LOG_CONFIGURATION = "logback.configurationFile";

    @Spec
    private CommandSpec spec;

    private TwinbellCommand() {}

    public static void main(String[] arguments) {
        if (System.getProperty(LOG_CONFIGURATION) == null) {
            System.setProperty(LOG_CONFIGURATION, "io/twinbell/ops/cli/logback.xml");
        }
        System.exit(commandLine().execute(arguments));
    }

    /** The whole command line, with the commands that other modules bring. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new TwinbellCommand());
        ServiceLoader.load(CommandSource.class)
                .forEach(source -> source.commands().forEach(line::addSubcommand));
        // @daily is a schedule and no file of arguments.
        return line.setExpandAtFiles(false)
                .setParameterExceptionHandler(TwinbellCommand::sayWhatIsMistyped)
                .setExecutionExceptionHandler(new SayWhatIsWrong());
    }

    /** One sentence: a page of help would push it off the screen. */
    private static int sayWhatIsMistyped(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        command.getErr().println(e.getMessage());
        command.getErr().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return command.getCommandSpec().exitCodeOnInvalidInput();
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
