package io.twinbell.tools.importer.command;

import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.JdbcSource;
import io.twinbell.tools.importer.SourceException;
import io.twinbell.tools.importer.quartz.QuartzContent;
import io.twinbell.tools.importer.quartz.QuartzStore;
import io.twinbell.tools.importer.quartz.QuartzTasks;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import quartz}: imports the jobs, triggers and calendars of a Quartz JDBC store. */
@Command(
        name = "quartz",
        description = "Imports the triggers of a Quartz JDBC store, each with its job, data and calendars. It only"
                + " reads Quartz's tables: stop its schedulers, or pause its triggers, before the tasks fire. A job"
                + " becomes a Java handler with the job class as key, or an HTTP call.",
        exitCodeList = {
            "0:every trigger is imported, or would be",
            "1:a trigger cannot be imported, or was refused; each is reported",
            "2:wrong usage, or the store cannot be read",
            "3:no node answers",
        },
        footer = {
            "  twinbell import quartz jdbc:postgresql://db/shop --user shop --app shop --dry-run",
            "  twinbell import quartz jdbc:postgresql://db/shop --app shop --map com.acme.Close=close --apply",
            "  twinbell import quartz jdbc:postgresql://db/shop --app shop --http http://127.0.0.1:9000/jobs/{job} --to"
                    + " shop.yaml",
            "  twinbell import quartz jdbc:mysql://db/shop --driver mysql.jar --user shop --app shop --apply",
        })
final class ImportQuartzCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SourceLogin login;

    @Option(
            names = "--table-prefix",
            paramLabel = "PREFIX",
            defaultValue = "QRTZ_",
            description = "Prefix of Quartz's tables, including the schema if needed. Default: ${DEFAULT-VALUE}.")
    private String prefix;

    @Option(
            names = "--scheduler",
            paramLabel = "NAME",
            description = "The scheduler to import, if several share the tables.")
    private String scheduler;

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Time zone of triggers and calendars that name none. Default: the zone of this machine.")
    private String zone;

    @Option(
            names = "--http",
            paramLabel = "URL",
            description = "Call this URL, with {job}, {group} and {class} replaced; the job data is the body.")
    private String http;

    @Option(
            names = "--map",
            paramLabel = "CLASS=KEY",
            description = "The key of the Java handler for a job class; repeatable. Default: the class name.")
    private Map<String, String> keys = Map.of();

    @Option(
            names = "--misfire-threshold",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "60s",
            description = "Quartz's configured misfire threshold. Default: ${DEFAULT-VALUE}.")
    private Duration threshold;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        if (http != null && !keys.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Give either --http or --map, not both");
        }
        ZoneId local = ZoneId.of(SourceLogin.zone(spec, zone));
        QuartzContent content = login.read(this::content);
        QuartzTasks.ImportedTasks importedTasks =
                QuartzTasks.of(content, new QuartzTasks.Options(app, local, http, keys, threshold));
        return run.go(importedTasks.candidates(), importedTasks.beside());
    }

    private QuartzContent content(JdbcSource source) throws SourceException {
        QuartzStore store = QuartzStore.of(source, prefix);
        return store.read(scheduler == null ? onlyOne(store.schedulers()) : scheduler);
    }

    private String onlyOne(List<String> schedulers) {
        if (schedulers.size() != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    schedulers.isEmpty()
                            ? "There are no jobs in these tables"
                            : "Several schedulers share these tables; choose one with --scheduler: "
                                    + String.join(", ", schedulers));
        }
        return schedulers.get(0);
    }
}
