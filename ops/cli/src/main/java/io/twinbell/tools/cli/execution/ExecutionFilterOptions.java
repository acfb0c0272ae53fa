package io.twinbell.tools.cli.execution;

import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.InstantConverter;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.TaskReference;
import io.twinbell.tools.client.CommandClock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select executions. All given conditions must hold. */
final class ExecutionFilterOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--task",
            paramLabel = "TASK",
            converter = TaskReference.Reader.class,
            description = "Executions of this task: its id or APP/NAME. Removed tasks are found too.")
    private TaskReference task;

    @Option(names = "--app", paramLabel = "APP", description = "Executions of tasks of this app.")
    private String app;

    @Option(names = "--name", paramLabel = "NAME", description = "Executions of tasks of this name.")
    private String name;

    @Option(names = "--tag", paramLabel = "TAG", description = "Executions of tasks with this tag.")
    private String tag;

    @Option(
            names = "--state",
            split = ",",
            paramLabel = "STATE",
            description = "Executions in one of these states, such as FAILED,TIMED_OUT: PENDING CLAIMED RUNNING"
                    + " RETRYING SUCCEEDED FAILED TIMED_OUT CANCELLED SKIPPED MISSED DROPPED.")
    private List<String> states;

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Executions with a fire time in the last 90m, 24h, 7d and so on.")
    private Duration since;

    @Option(names = "--from", paramLabel = "TIME", description = "Executions with a fire time at or after this.")
    private String from;

    @Option(names = "--until", paramLabel = "TIME", description = "Executions with a fire time before this.")
    private String until;

    @Option(
            names = "--error-code",
            paramLabel = "CODE",
            description = "Executions whose latest attempt failed with this code, such as HTTP_503 or TIMEOUT.")
    private String errorCode;

    @Option(
            names = "--in-doubt",
            description = "Executions in doubt: they may have run on a primary that was lost together with its master.")
    private boolean inDoubt;

    /** The query parameters that every list and bulk request of executions accepts. */
    QueryString of(String path) {
        if (since != null && from != null) {
            throw new ParameterException(spec.commandLine(), "Give either --since or --from, not both");
        }
        return new QueryString(path)
                .with("task", taskId())
                .with("app", taskApp())
                .with("name", taskName())
                .with("tag", tag)
                .with("state", states == null ? null : String.join(",", states).toUpperCase(Locale.ROOT))
                .with("from", since == null ? instant("--from", from) : past())
                .with("until", instant("--until", until))
                .with("errorCode", errorCode)
                .with("inDoubt", inDoubt ? "true" : null);
    }

    boolean isGiven() {
        return of("").hasSome();
    }

    boolean hasState() {
        return states != null;
    }

    /**
     * The id, if the task was typed by its id. A name is passed on as a name, because the ledger also knows removed
     * tasks by name.
     */
    private String taskId() {
        return task != null && isId() ? task.typed() : null;
    }

    private boolean isId() {
        return task.typed().indexOf('/') < 0;
    }

    private String taskApp() {
        refuseTwice(app != null || name != null);
        return task == null || isId()
                ? app
                : task.typed().substring(0, task.typed().indexOf('/'));
    }

    private String taskName() {
        return task == null || isId()
                ? name
                : task.typed().substring(task.typed().indexOf('/') + 1);
    }

    private void refuseTwice(boolean isOtherwise) {
        if (task != null && isOtherwise) {
            throw new ParameterException(
                    spec.commandLine(), "--task already names the app and the task: omit --app and --name");
        }
    }

    private String past() {
        return new CommandClock()
                .now()
                .minus(since)
                .truncatedTo(ChronoUnit.MILLIS)
                .toString();
    }

    private String instant(String option, String typed) {
        return typed == null
                ? null
                : InstantConverter.read(spec, option, typed, ZoneOffset.UTC).toString();
    }
}
