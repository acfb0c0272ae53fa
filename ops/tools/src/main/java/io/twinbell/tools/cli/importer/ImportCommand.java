package io.twinbell.tools.cli.importer;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import}: imports the jobs of other schedulers as tasks. */
@Command(
        name = "import",
        description =
                "Takes over what another scheduler does. It shows what it would make, with a reason for whatever it"
                        + " cannot take over, and does it with --apply or after a question.",
        footer = {
            "  twinbell import crontab /etc/crontab --app host1",
            "  twinbell import quartz jdbc:postgresql://db/shop --user shop --app shop",
        },
        subcommands = {ImportCrontabCommand.class, ImportQuartzCommand.class})
public final class ImportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return CommandLine.ExitCode.USAGE;
    }
}
