package io.twinbell.tools.importer.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.ImportedHandlers;
import io.twinbell.tools.importer.JobRunrTasks;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import jobrunr}: imports the recurring and waiting jobs of a JobRunr store. */
@Command(
        name = "jobrunr",
        description =
                "Imports JobRunr's recurring, scheduled and enqueued jobs, each with its parameters. A job becomes a Java"
                        + " handler with CLASS.METHOD as key, or an HTTP call. The tables are only read: stop JobRunr's servers"
                        + " before the tasks fire.",
        exitCodeList = {
            "0:everything is imported, or would be",
            "1:something cannot be imported, or was refused; each is reported",
            "2:wrong usage, or the store cannot be read",
            "3:no node answers",
        },
        footer = {
            "  twinbell import jobrunr jdbc:postgresql://db/shop --user shop --app shop --dry-run",
            "  twinbell import jobrunr jdbc:postgresql://db/shop --app shop --map com.acme.Mail.send=mail --apply",
            "  twinbell import jobrunr jdbc:postgresql://db/shop --app shop --http http://127.0.0.1:9000/{job} --to shop.yaml",
        })
final class ImportJobRunrCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SourceLogin login;

    @Option(
            names = "--table-prefix",
            paramLabel = "PREFIX",
            description = "Prefix of JobRunr's tables, including the schema if needed. Default: none.")
    private String prefix = "";

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Time zone of recurring jobs that name none. Default: the zone of this machine.")
    private String zone;

    @Mixin
    private CodeMapping code;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        ImportedHandlers handlers = code.handlers();
        String cronZone = SourceLogin.zone(spec, zone);
        List<ImportCandidate> found = login.read(source -> JobRunrTasks.read(source, prefix, app, cronZone, handlers));
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }
}
