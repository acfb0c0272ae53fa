package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.ScheduleOptions;
import java.util.List;
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

    boolean isGiven() {
        return schedule.isGiven()
                || !calendars.isEmpty()
                || Stream.of(cron, start, end).anyMatch(Objects::nonNull);
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
    }

    private void put(ObjectNode task, String name, String typed) {
        if (typed != null) {
            task.put(name, schedule.instant("--" + name, typed, null));
        }
    }
}
