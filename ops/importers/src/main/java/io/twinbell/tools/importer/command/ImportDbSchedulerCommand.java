package io.twinbell.tools.importer.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.DbSchedulerTasks;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.ImportedHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import db-scheduler}: imports the planned executions of a db-scheduler table. */
@Command(
        name = "db-scheduler",
        description =
                "Imports the planned executions of db-scheduler, each with its data. An execution of a one-time task"
                        + " becomes a one-shot. The schedule of a recurring task is in the application's code: give it with"
                        + " --recurring. The table is only read: stop db-scheduler before the tasks fire.",
        exitCodeList = {
            "0:everything is imported, or would be",
            "1:something cannot be imported, or was refused; each is reported",
            "2:wrong usage, or the store cannot be read",
            "3:no node answers",
        },
        footer = {
            "  twinbell import db-scheduler jdbc:postgresql://db/shop --user shop --app shop --dry-run",
            "  twinbell import db-scheduler jdbc:postgresql://db/shop --app shop --recurring 'report=0 4 * * *' --apply",
            "  twinbell import db-scheduler jdbc:postgresql://db/shop --app shop --map mail=send-mail --apply",
        })
final class ImportDbSchedulerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SourceLogin login;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            defaultValue = "scheduled_tasks",
            description = "db-scheduler's table, including the schema if needed. Default: ${DEFAULT-VALUE}.")
    private String table;

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Option(
            names = "--recurring",
            paramLabel = "TASK=SCHEDULE",
            description = "A cron expression, or an ISO duration, for a recurring task; repeatable.")
    private Map<String, String> recurring = Map.of();

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Time zone of --recurring. Default: the zone of this machine.")
    private String zone;

    @Mixin
    private CodeMapping code;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        ImportedHandlers handlers = code.handlers();
        String cronZone = SourceLogin.zone(spec, zone);
        List<ImportCandidate> found =
                login.read(source -> DbSchedulerTasks.read(source, table, app, cronZone, recurring, handlers));
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }
}
