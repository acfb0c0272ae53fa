package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.ScheduleOptions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the fire times of a new task. */
final class TimingOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--cron", paramLabel = "CRON", description = "Fire by a cron expression, or @daily and the like.")
    private String cron;

    @Mixin
    private ScheduleOptions schedule;

    @Option(
            names = "--start",
            paramLabel = "TIME",
            description = "Fire at this time at the earliest; --every counts from it. Default: now.")
    private String start;

    @Option(names = "--end", paramLabel = "TIME", description = "Fire at this time at the latest.")
    private String end;

    @Option(names = "--calendar", paramLabel = "NAME", description = "Apply this calendar; repeatable.")
    private List<String> calendars = List.of();

    @Option(
            names = "--on-excluded",
            paramLabel = "RULE",
            description =
                    "SKIP (default), NEXT or PREVIOUS: whether a time that a calendar excludes moves to another day.")
    private String onExcluded;

    @Option(
            names = "--max-runs",
            paramLabel = "COUNT",
            description = "The task is FINISHED once this many slots have been claimed to run.")
    private Long maxRuns;

    @Option(
            names = "--jitter",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Delay each fire time by up to this.")
    private Duration jitter;

    boolean isGiven() {
        return schedule.isGiven()
                || !calendars.isEmpty()
                || Stream.of(cron, start, end, onExcluded, maxRuns, jitter).anyMatch(Objects::nonNull);
    }

    void into(ObjectNode task) {
        task.set("schedule", schedule.json(cron));
        if (schedule.ignoresZone() && start == null && end == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--zone has no effect on --every and --in, only on --start and --end with them");
        }
        put(task, "start", start);
        put(task, "end", end);
        if (!calendars.isEmpty()) {
            ArrayNode names = task.putArray("calendars");
            calendars.forEach(names::add);
        }
        if (onExcluded != null) {
            task.put("onExcluded", onExcluded.toUpperCase(Locale.ROOT));
        }
        if (maxRuns != null) {
            task.put("maxRuns", maxRuns);
        }
        if (jitter != null) {
            task.put("jitter", jitter.toString());
        }
    }

    private void put(ObjectNode task, String name, String typed) {
        if (typed != null) {
            task.put(name, schedule.instant("--" + name, typed, null));
        }
    }
}
