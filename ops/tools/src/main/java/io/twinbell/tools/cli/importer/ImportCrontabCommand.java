package io.twinbell.tools.cli.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.Crontab;
import io.twinbell.tools.importer.ImportCandidate;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import crontab}: imports user and system crontabs. */
@Command(
        name = "crontab",
        description =
                "Takes over a crontab as shell tasks. A comment right above an entry becomes its name; environment"
                        + " lines, CRON_TZ, RANDOM_DELAY and % are understood. Nodes run commands only with handlers.shell.enabled.",
        exitCodeList = {
            "0:everything is taken over, or would be",
            "1:something cannot be taken over, or was refused, and is told",
            "2:wrong usage",
            "3:no node answers",
        },
        footer = {
            "  crontab -l | twinbell import crontab - --app host1 --dry-run",
            "  twinbell import crontab /etc/crontab --app host1 --node-user root --apply",
            "  twinbell import crontab /etc/cron.d/shop --app host1 --sudo --to shop.yaml",
        })
final class ImportCrontabCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The crontab; - is standard input.")
    private String file;

    @Option(names = "--app", paramLabel = "APP", required = true, description = "Whose the tasks are.")
    private String app;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "The local time of cron, unless CRON_TZ says another. Default: that of this machine.")
    private String zone;

    @Option(names = "--system", description = "Entries name a user. So they do in /etc/crontab and /etc/cron.d anyway.")
    private boolean system;

    @Option(
            names = "--node-user",
            paramLabel = "USER",
            description = "Whom the nodes run as: that user's entries need no sudo.")
    private String nodeUser;

    @Option(names = "--sudo", description = "Have entries of other users run by sudo -n -u USER.")
    private boolean sudo;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        boolean isSystem = system || file.equals("/etc/crontab") || file.startsWith("/etc/cron.d/");
        if (!isSystem && (sudo || nodeUser != null)) {
            throw new ParameterException(
                    spec.commandLine(), "--sudo and --node-user are for crontabs whose entries name a user: --system");
        }
        String local = zone == null ? ZoneId.systemDefault().getId() : zone;
        String text = new CommandInput(spec.commandLine()).read(file);
        List<ImportCandidate> found = Crontab.read(text, new Crontab.Options(app, local, isSystem, nodeUser, sudo));
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }
}
