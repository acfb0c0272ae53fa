package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.NodeException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options for a schedule. The node interprets and validates them. */
public final class ScheduleOptions {
    private static final Pattern ZONE_PREFIX = Pattern.compile("\\s*(?:CRON_)?TZ=(\\S+).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern POSITIONS = Pattern.compile("positions? (\\d+)(?: and (\\d+))?");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    private Kind kind;

    @Option(
            names = "--zone",
            description = "Time zone of the cron expression or rule, of times and of the table. Default: UTC.")
    private String zone;

    @Option(
            names = "--dtstart",
            paramLabel = "TIME",
            description = "The first date and time of --rrule, on the wall clock of the zone.")
    private String dtstart;

    @Option(names = "--rdate", paramLabel = "TIME", description = "A further time beside --rrule; repeatable.")
    private List<String> further = List.of();

    @Option(names = "--exdate", paramLabel = "TIME", description = "A time or day without fires; repeatable.")
    private List<String> except = List.of();

    @Option(names = "--params", paramLabel = "JSON", description = "The parameters of --schedule-type. Default: {}.")
    private String params;

    @Option(names = "--dialect", description = "UNIX, QUARTZ or SPRING. Default: detected from the expression.")
    private String dialect;

    @Option(names = "--dst-gap", description = "SHIFT or SKIP: how to treat a time that a clock change skips.")
    private String dstGap;

    @Option(names = "--dst-overlap", description = "ONCE or TWICE: how to treat a time that a clock change repeats.")
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

    private static final class Kind {
        @Parameters(
                paramLabel = "'CRON'",
                description = "A cron expression in quotes, or @daily, '@every 5m' and so on.")
        private String cron;

        @Option(
                names = "--rrule",
                paramLabel = "RULE",
                description = "Fire by a rule of iCalendar, such as 'FREQ=WEEKLY;INTERVAL=2'; it needs --dtstart.")
        private String rrule;

        @Option(
                names = "--every",
                paramLabel = "DURATION",
                description = "Fire at this interval, such as 90s, 1h30m or PT5M.")
        private String every;

        @Option(names = "--at", paramLabel = "TIME", description = "Fire once, at this time.")
        private String at;

        @Option(names = "--in", paramLabel = "DURATION", description = "Fire once, this long after the start.")
        private String in;

        @Option(
                names = "--schedule-type",
                paramLabel = "NAME",
                description = "Fire by a schedule type that code of both nodes registers.")
        private String type;
    }

    public ObjectNode json() {
        ObjectNode schedule = JsonNodeFactory.instance.objectNode();
        put(schedule, "cron", kind.cron);
        put(schedule, "rrule", kind.rrule);
        put(schedule, "dtstart", dtstart);
        put(schedule, "rdate", further);
        put(schedule, "exdate", except);
        put(schedule, "every", kind.every);
        put(schedule, "at", kind.at == null ? null : instant("--at", kind.at));
        put(schedule, "in", kind.in);
        put(schedule, "type", kind.type);
        ScheduleParams.put(schedule, params, spec.commandLine());
        put(schedule, "dialect", upper(dialect));
        put(schedule, "zone", kind.cron == null && kind.rrule == null && kind.type == null ? null : zone);
        put(schedule, "dstGap", upper(dstGap));
        put(schedule, "dstOverlap", upper(dstOverlap));
        put(schedule, "mode", fixedDelay ? "FIXED_DELAY" : null);
        put(schedule, "align", align);
        put(schedule, "first", first == null ? null : upper(first).replace('-', '_'));
        return schedule;
    }

    /** The zone for displayed times. The node rejects an unknown name. */
    public ZoneId zone() {
        try {
            return ZoneId.of(zone == null ? prefixedZone() : zone).normalized();
        } catch (DateTimeException e) {
            return ZoneOffset.UTC;
        }
    }

    /** Converts a date, a date and time in the zone, or an instant to the API's form. */
    public String instant(String option, String typed) {
        return InstantConverter.read(typed, zone())
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(), option + " " + InstantConverter.EXPECTATION + ", not \"" + typed + "\""))
                .toString();
    }

    /** Describes an error in one sentence, and marks the character of the expression if the node names it. */
    public String explained(NodeException.MemberError fault) {
        Matcher position = POSITIONS.matcher(fault.detail());
        if (fault.pointer().equals("/schedule/cron") && kind.cron != null && position.find()) {
            return kind.cron.replaceAll("\\s", " ") + "\n" + carets(position) + "\n" + fault.detail();
        }
        return fault.pointer().isEmpty() ? fault.detail() : fault.pointer().substring(1) + ": " + fault.detail();
    }

    private static String carets(Matcher position) {
        int first = Integer.parseInt(position.group(1));
        String carets = " ".repeat(first - 1) + "^";
        return position.group(2) == null
                ? carets
                : carets + " ".repeat(Integer.parseInt(position.group(2)) - first - 1) + "^";
    }

    private String prefixedZone() {
        Matcher prefix = ZONE_PREFIX.matcher(kind.cron == null ? "" : kind.cron);
        return prefix.matches() ? prefix.group(1) : "UTC";
    }

    private static void put(ObjectNode schedule, String name, String value) {
        if (value != null) {
            schedule.put(name, value);
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
