package io.twinbell.tools.cli.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.PgCronJobs;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import pg_cron}: imports the jobs of the PostgreSQL extension pg_cron. */
@Command(
        name = "pg_cron",
        description =
                "Imports the jobs of the extension pg_cron as sql tasks. It only reads the table cron.job: unschedule its"
                        + " jobs before the tasks fire. Nodes run sql tasks only with handlers.sql.enabled, in the scheduler's own"
                        + " database.",
        exitCodeList = {
            "0:everything is imported, or would be",
            "1:something cannot be imported, or was refused; each is reported",
            "2:wrong usage, or the store cannot be read",
            "3:no node answers",
        },
        footer = {
            "  twinbell import pg_cron jdbc:postgresql://db/shop --user shop --app shop --dry-run",
            "  twinbell import pg_cron jdbc:postgresql://db/shop --user shop --app shop --to shop.yaml",
        })
final class ImportPgCronCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SourceLogin login;

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        List<ImportCandidate> found = login.read(source -> PgCronJobs.read(source, app));
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }
}
