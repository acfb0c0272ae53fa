package io.twinbell.tools.importer.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.Crontab;
import io.twinbell.tools.importer.ImportCandidate;
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
        description = "Imports a crontab as shell tasks. A comment directly above an entry becomes the task's name."
                + " Environment lines, CRON_TZ, RANDOM_DELAY and %% are understood. Nodes run commands only with"
                + " handlers.shell.enabled.",
        exitCodeList = {
            "0:every entry is imported, or would be",
            "1:an entry cannot be imported, or was refused; each is reported",
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

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Time zone of cron where CRON_TZ is not set. Default: the zone of this machine.")
    private String zone;

    @Option(names = "--system", description = "The entries name a user. Implied for /etc/crontab and /etc/cron.d.")
    private boolean system;

    @Option(
            names = "--node-user",
            paramLabel = "USER",
            description = "The user that the nodes run as; entries of this user need no sudo.")
    private String nodeUser;

    @Option(names = "--sudo", description = "Run the entries of other users with sudo -n -u USER.")
    private boolean sudo;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        boolean isSystem = system || file.equals("/etc/crontab") || file.startsWith("/etc/cron.d/");
        if (!isSystem && (sudo || nodeUser != null)) {
            throw new ParameterException(
                    spec.commandLine(), "--sudo and --node-user require entries that name a user: give --system");
        }
        String local = SourceLogin.zone(spec, zone);
        String text = new CommandInput(spec.commandLine()).readImport(file);
        List<ImportCandidate> found;
        try {
            found = Crontab.read(text, new Crontab.Options(app, local, isSystem, nodeUser, sudo));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "Can't import " + file + ": " + e.getMessage());
        }
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }
}
