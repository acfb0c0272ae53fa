package io.twinbell.tools.importer.command;

import io.twinbell.tools.cli.CommandSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import}: imports the jobs of other schedulers as tasks. */
@Command(
        name = "import",
        description =
                "Imports the jobs of another scheduler as tasks. It lists the tasks that it would create, with a reason for"
                        + " everything that it leaves out. It stores the tasks with --apply or after confirmation.",
        footer = {
            "  twinbell import crontab /etc/crontab --app host1",
            "  twinbell import quartz jdbc:postgresql://db/shop --user shop --app shop",
        },
        subcommands = {
            ImportCrontabCommand.class,
            ImportQuartzCommand.class,
            ImportDbSchedulerCommand.class,
            ImportJobRunrCommand.class
        })
public final class ImportCommand implements CommandSource, Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public List<Object> commands() {
        return List.of(new ImportCommand());
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }
}
