package io.twinbell.tools.cli;

import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.cli.apply.ApplyCommand;
import io.twinbell.tools.cli.apply.DiffCommand;
import io.twinbell.tools.cli.apply.ExportCommand;
import io.twinbell.tools.cli.catalog.AlertCommand;
import io.twinbell.tools.cli.catalog.CalendarCommand;
import io.twinbell.tools.cli.catalog.DefaultsCommand;
import io.twinbell.tools.cli.catalog.ForecastCommand;
import io.twinbell.tools.cli.catalog.PreviewCommand;
import io.twinbell.tools.cli.cluster.FailoverCommand;
import io.twinbell.tools.cli.cluster.HistoryCommand;
import io.twinbell.tools.cli.cluster.HoldCommand;
import io.twinbell.tools.cli.cluster.PauseCommand;
import io.twinbell.tools.cli.cluster.PausesCommand;
import io.twinbell.tools.cli.cluster.ReleaseCommand;
import io.twinbell.tools.cli.cluster.ResumeCommand;
import io.twinbell.tools.cli.cluster.StatusCommand;
import io.twinbell.tools.cli.cluster.SwitchoverCommand;
import io.twinbell.tools.cli.execution.ExecutionsCommand;
import io.twinbell.tools.cli.task.SeedDemoCommand;
import io.twinbell.tools.cli.task.TaskCommand;
import io.twinbell.tools.cli.task.WhyCommand;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.StandardOutput;
import io.twinbell.tools.terminal.Terminal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The operators' command line: {@code twinbell status}, {@code twinbell switchover} and so on. */
@Command(
        name = "twinbell",
        description = "Inspects and operates a Twinbell pair. --url (repeatable) or the comma-separated TWINBELL_URLS"
                + " gives the addresses of the nodes.",
        footer = {
            "  twinbell status",
            "  twinbell task add shop/close-day --cron \"30 2 * * *\" --http http://127.0.0.1:9000/x",
            "  twinbell executions --state FAILED --since 24h",
            "  TWINBELL_URLS=http://10.0.0.11:8081,http://10.0.0.12:8081 twinbell task list",
        },
        subcommands = {
            StatusCommand.class,
            TaskCommand.class,
            ExecutionsCommand.class,
            PreviewCommand.class,
            ForecastCommand.class,
            WhyCommand.class,
            PauseCommand.class,
            PausesCommand.class,
            ResumeCommand.class,
            SwitchoverCommand.class,
            FailoverCommand.class,
            HoldCommand.class,
            ReleaseCommand.class,
            HistoryCommand.class,
            AuditCommand.class,
            ExportCommand.class,
            DiffCommand.class,
            ApplyCommand.class,
            CalendarCommand.class,
            AlertCommand.class,
            DefaultsCommand.class,
            TokenCommand.class,
            TlsInitCommand.class,
            CompletionCommand.class,
            SeedDemoCommand.class,
        })
public final class TwinbellCommand implements Callable<Integer> {
    private static final String LOG_CONFIGURATION = "logback.configurationFile";
    private static final int WIDEST_HELP = 110;
    private static final long MEGABYTE = 1024 * 1024;

    @Spec
    private CommandSpec spec;

    private TwinbellCommand() {}

    public static void main(String[] arguments) {
        // Libraries format numbers too: in fa-IR, picocli would write a completion script that no shell reads.
        Locale.setDefault(Locale.ROOT);
        if (System.getProperty(LOG_CONFIGURATION) == null) {
            System.setProperty(LOG_CONFIGURATION, "io/twinbell/tools/cli/logback.xml");
        }
        StandardOutput output = StandardOutput.installed();
        int exitCode = executed(arguments);
        System.out.flush();
        Optional<String> lost = output.lost();
        lost.ifPresent(why -> System.err.println("cannot write to standard output: " + why));
        System.exit(lost.isPresent() && exitCode == 0 ? CommandLine.ExitCode.SOFTWARE : exitCode);
    }

    /** Picocli leaves errors of the JVM alone. */
    private static int executed(String[] arguments) {
        try {
            return commandLine().execute(arguments);
        } catch (OutOfMemoryError e) {
            System.err.println("The command needs more memory than the JVM may use, "
                    + Runtime.getRuntime().maxMemory() / MEGABYTE
                    + " MB: give it more (JAVA_TOOL_OPTIONS=-Xmx1g), or less to do");
        } catch (StackOverflowError e) {
            System.err.println("The input is nested too deeply");
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** Builds the whole command line, including the commands of other modules. */
    public static CommandLine commandLine() {
        Terminal terminal = Terminal.current();
        CommandLine line = new CommandLine(new TwinbellCommand());
        ServiceLoader.load(CommandSource.class)
                .forEach(source -> source.commands().forEach(command -> add(line, new CommandLine(command))));
        UniformHelp.complete(line);
        line.registerConverter(String.class, TwinbellCommand::notEmpty);
        // @daily is a schedule, not a file of arguments.
        return line.setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(
                        terminal.showsOut() ? Math.min(WIDEST_HELP, Math.max(60, terminal.columns())) : WIDEST_HELP)
                .setColorScheme(CommandLine.Help.defaultColorScheme(terminal.hasColours() ? Ansi.ON : Ansi.OFF))
                .setParameterExceptionHandler(TwinbellCommand::printUsageError)
                .setExecutionExceptionHandler(new ExpectedErrors());
    }

    /** The first on the class path has the name: {@code scripts/drill} puts the lab before a package's drills. */
    private static void add(CommandLine line, CommandLine command) {
        if (!line.getSubcommands().containsKey(command.getCommandName())) {
            line.addSubcommand(command);
        }
    }

    /** Rejects an empty value, so that a script's empty variable does not silently drop a filter. */
    private static String notEmpty(String value) {
        if (value.isEmpty()) {
            throw new CommandLine.TypeConversionException("must not be empty");
        }
        return value;
    }

    /** Prints one sentence about a usage error. The full help would push it off the screen. */
    private static int printUsageError(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        command.getErr().println(ControlCharacters.spaced(String.valueOf(e.getMessage())));
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getSuggestions().isEmpty()) {
            command.getErr().println("Did you mean: " + String.join(" or ", unmatched.getSuggestions()) + "?");
        }
        command.getErr().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }

    /** Prints one sentence instead of a stack trace for expected errors. */
    private static final class ExpectedErrors implements IExecutionExceptionHandler {
        @Override
        public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) throws Exception {
            if (e instanceof NodeException known) {
                known.print(command.getErr());
                return known.exitCode();
            }
            throw e;
        }
    }

    /** Gives every command the same help: --help, --version, exit codes and a heading above its examples. */
    private static final class UniformHelp {
        private static final Map<String, String> EXIT_CODES = new LinkedHashMap<>();

        static {
            EXIT_CODES.put("0", "done");
            EXIT_CODES.put("1", "refused, or not found");
            EXIT_CODES.put("2", "wrong usage");
            EXIT_CODES.put("3", "no node answers");
        }

        private UniformHelp() {}

        static void complete(CommandLine line) {
            // Options added later would mix up a command method's parameters, so its annotation declares them.
            if (!line.getCommandSpec().mixinStandardHelpOptions()) {
                line.getCommandSpec().mixinStandardHelpOptions(true);
            }
            line.getCommandSpec().version("Twinbell " + version());
            UsageMessageSpec usage = line.getCommandSpec().usageMessage();
            if (usage.footer().length > 0) {
                usage.footerHeading("%nExamples:%n");
            }
            usage.exitCodeListHeading("%nExit codes:%n");
            summarize(usage);
            if (usage.exitCodeList().isEmpty()) {
                usage.exitCodeList(EXIT_CODES);
            }
            line.getSubcommands().values().stream().distinct().forEach(UniformHelp::complete);
        }

        /** Shows the first sentence in the list of commands, and the rest only in the command's own help. */
        private static void summarize(UsageMessageSpec usage) {
            String whole = String.join(" ", usage.description());
            int end = whole.indexOf(". ") + 1;
            if (usage.header().length == 0 && end > 0) {
                usage.header(whole.substring(0, end));
                usage.description(whole.substring(end + 1));
            }
        }

        private static String version() {
            String version = UniformHelp.class.getPackage().getImplementationVersion();
            return version == null ? "built from source" : version;
        }
    }
}
