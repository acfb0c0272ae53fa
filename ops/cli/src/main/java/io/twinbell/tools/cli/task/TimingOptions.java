package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.InstantConverter;
import io.twinbell.tools.cli.option.ScheduleParams;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
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

    @Option(
            names = "--rrule",
            paramLabel = "RULE",
            description = "Fire by a rule of iCalendar, such as 'FREQ=WEEKLY;INTERVAL=2'; it needs --dtstart.")
    private String rrule;

    @Option(
            names = "--dtstart",
            paramLabel = "TIME",
            description = "The first date and time of --rrule, on the wall clock of the zone.")
    private String dtstart;

    @Option(names = "--rdate", paramLabel = "TIME", description = "A further time beside --rrule; repeatable.")
    private List<String> further = List.of();

    @Option(names = "--exdate", paramLabel = "TIME", description = "A time or day without fires; repeatable.")
    private List<String> except = List.of();

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "Fire at this interval, such as 90s, 1h30m or PT5M.")
    private String every;

    @Option(names = "--at", paramLabel = "TIME", description = "Fire once: at a time in the zone, or at an instant.")
    private String at;

    @Option(names = "--refuse-past", description = "Refuse the task if its --at has passed, instead of firing now.")
    private boolean refusePast;

    @Option(
            names = "--in",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Fire once, this long from now.")
    private Duration in;

    @Option(
            names = "--schedule-type",
            paramLabel = "NAME",
            description = "Fire by a schedule type that code of both nodes registers.")
    private String type;

    @Option(names = "--params", paramLabel = "JSON", description = "The parameters of --schedule-type. Default: {}.")
    private String params;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Time zone of the cron expression or rule, and of times. Default: UTC.")
    private String zone;

    @Option(
            names = "--dialect",
            paramLabel = "NAME",
            description = "UNIX, QUARTZ or SPRING. Default: detected from --cron.")
    private String dialect;

    @Option(
            names = "--dst-gap",
            paramLabel = "RULE",
            description = "SHIFT (default) or SKIP: how to treat a time that a clock change skips.")
    private String dstGap;

    @Option(
            names = "--dst-overlap",
            paramLabel = "RULE",
            description = "ONCE (default) or TWICE: how to treat a time that a clock change repeats.")
    private String dstOverlap;

    @Option(names = "--fixed-delay", description = "Count --every from the end of each run.")
    private boolean fixedDelay;

    @Option(
            names = "--align",
            paramLabel = "DURATION",
            description = "First --every fire: the next multiple of this in UTC, such as 1h for the full hour.")
    private String align;

    @Option(
            names = "--first",
            paramLabel = "RULE",
            description = "First --every fire: AT_START (default) or AFTER_INTERVAL.")
    private String first;

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
        return Stream.of(
                                cron,
                                rrule,
                                type,
                                params,
                                every,
                                at,
                                in,
                                zone,
                                dialect,
                                dstGap,
                                dstOverlap,
                                align,
                                first,
                                start,
                                end,
                                maxRuns,
                                jitter)
                        .anyMatch(one -> one != null)
                || fixedDelay
                || refusePast
                || onExcluded != null
                || !further.isEmpty()
                || !except.isEmpty()
                || !calendars.isEmpty();
    }

    void into(ObjectNode task) {
        long kinds = Stream.of(cron, rrule, every, at, in, type)
                .filter(kind -> kind != null)
                .count();
        if (kinds != 1) {
            throw new ParameterException(
                    spec.commandLine(), "Give one schedule: --cron, --rrule, --every, --at, --in or --schedule-type");
        }
        // An interval and a delay have no wall clock, so a zone can only be for --start or --end.
        if (zone != null && (every != null || in != null) && start == null && end == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--zone has no effect on --every and --in, only on --start and --end with them");
        }
        ObjectNode schedule = task.putObject("schedule");
        put(schedule, "cron", cron);
        put(schedule, "rrule", rrule);
        put(schedule, "dtstart", dtstart);
        put(schedule, "rdate", further);
        put(schedule, "exdate", except);
        put(schedule, "every", every);
        put(schedule, "at", instant("--at", at));
        put(schedule, "past", refusePast ? "REFUSE" : null);
        put(schedule, "in", in == null ? null : in.toString());
        put(schedule, "type", type);
        ScheduleParams.put(schedule, params, spec.commandLine());
        put(schedule, "mode", fixedDelay ? "FIXED_DELAY" : null);
        put(schedule, "align", align);
        put(schedule, "first", first == null ? null : upper(first).replace('-', '_'));
        put(schedule, "dialect", upper(dialect));
        put(schedule, "zone", cron == null && rrule == null && type == null ? null : zone);
        put(schedule, "dstGap", upper(dstGap));
        put(schedule, "dstOverlap", upper(dstOverlap));
        put(task, "start", instant("--start", start));
        put(task, "end", instant("--end", end));
        if (!calendars.isEmpty()) {
            ArrayNode names = JsonNodeFactory.instance.arrayNode();
            calendars.forEach(names::add);
            task.set("calendars", names);
        }
        put(task, "onExcluded", upper(onExcluded));
        if (maxRuns != null) {
            task.put("maxRuns", maxRuns);
        }
        put(task, "jitter", jitter == null ? null : jitter.toString());
    }

    private String instant(String option, String typed) {
        return typed == null
                ? null
                : InstantConverter.read(typed, zoneId())
                        .orElseThrow(() -> new ParameterException(
                                spec.commandLine(),
                                option + " " + InstantConverter.EXPECTATION + ", not \"" + typed + "\""))
                        .toString();
    }

    private ZoneId zoneId() {
        try {
            return zone == null ? ZoneOffset.UTC : ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw new ParameterException(
                    spec.commandLine(), "--zone takes a zone such as Europe/Berlin, not \"" + zone + "\"", e);
        }
    }

    private static void put(ObjectNode json, String name, String value) {
        if (value != null) {
            json.put(name, value);
        }
    }

    private static void put(ObjectNode schedule, String name, List<String> values) {
        if (!values.isEmpty()) {
            values.forEach(schedule.withArray(name)::add);
        }
    }

    private static String upper(String choice) {
        return choice == null ? null : choice.toUpperCase(Locale.ROOT);
    }
}
