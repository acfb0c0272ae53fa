package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.NodeException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for a schedule, beside a cron expression. The node interprets and validates them. */
public final class ScheduleOptions {
    private static final Pattern ZONE_PREFIX = Pattern.compile("\\s*(?:CRON_)?TZ=(\\S+).*", Pattern.CASE_INSENSITIVE);
    private static final Pattern POSITIONS = Pattern.compile("positions? (\\d+)(?: and (\\d+))?");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            description = "Fire at this interval, such as 90s, 1h30m or PT5M.")
    private String every;

    @Option(names = "--fixed-delay", description = "Count --every from the end of each run.")
    private boolean fixedDelay;

    @Option(names = "--at", paramLabel = "TIME", description = "Fire once: at a time in the zone, or at an instant.")
    private String at;

    @Option(
            names = "--in",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Fire once, this long after the start.")
    private Duration in;

    @Option(
            names = "--schedule",
            paramLabel = "JSON|@FILE",
            description = "Fire by any schedule that the API accepts, such as"
                    + " '{\"rrule\":\"FREQ=WEEKLY;INTERVAL=2\",\"dtstart\":\"2026-01-05T09:00\"}'.")
    private String other;

    /** What {@code other} says; null until it is read. Standard input can be read once only. */
    private ObjectNode read;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Time zone of the cron expression or rule, and of times. Default: UTC.")
    private String zone;

    /** Whether one of the options is given. */
    public boolean isGiven() {
        return fixedDelay || Stream.of(every, at, in, other, zone).anyMatch(Objects::nonNull);
    }

    /** Whether a zone is given that the schedule cannot use: an interval and a delay have no wall clock. */
    public boolean ignoresZone() {
        return zone != null && (every != null || in != null);
    }

    /** @param cron null if another schedule is given */
    public ObjectNode json(String cron) {
        if (Stream.of(cron, every, at, in, other).filter(Objects::nonNull).count() != 1) {
            throw new ParameterException(
                    spec.commandLine(), "Give one schedule: a cron expression, --every, --at, --in or --schedule");
        }
        ObjectNode schedule = other == null ? JsonNodeFactory.instance.objectNode() : given().deepCopy();
        put(schedule, "cron", cron);
        put(schedule, "every", every);
        put(schedule, "mode", fixedDelay ? "FIXED_DELAY" : null);
        put(schedule, "at", at == null ? null : instant("--at", at, null));
        put(schedule, "in", in == null ? null : in.toString());
        put(schedule, "zone", cron == null && other == null ? null : zone);
        return schedule;
    }

    private ObjectNode given() {
        if (read == null) {
            JsonNode json = new CommandInput(spec.commandLine()).json("--schedule", other);
            if (!(json instanceof ObjectNode object)) {
                throw new ParameterException(spec.commandLine(), "--schedule takes a JSON object, not " + other);
            }
            read = object;
        }
        return read;
    }

    /**
     * The zone for displayed times.
     *
     * @param cron may name a zone too; null for none
     */
    public ZoneId zone(String cron) {
        if (zone != null) {
            try {
                return ZoneId.of(zone).normalized();
            } catch (DateTimeException e) {
                throw new ParameterException(
                        spec.commandLine(), "--zone takes a zone such as Europe/Berlin, not \"" + zone + "\"", e);
            }
        }
        try {
            return ZoneId.of(zoneOfSchedule(cron)).normalized();
        } catch (DateTimeException e) {
            // The node refuses the name, and says where it stands.
            return ZoneOffset.UTC;
        }
    }

    private String zoneOfSchedule(String cron) {
        Matcher prefix = ZONE_PREFIX.matcher(cron == null ? "" : cron);
        if (prefix.matches()) {
            return prefix.group(1);
        }
        return other == null ? "UTC" : given().path("zone").asText("UTC");
    }

    /** Converts a date, a date and time in the zone, or an instant to the API's form. */
    public String instant(String option, String typed, String cron) {
        return InstantConverter.read(spec, option, typed, zone(cron)).toString();
    }

    /** Describes an error in one sentence, and marks the character of the expression if the node names it. */
    public static String explained(NodeException.MemberError fault, String cron) {
        Matcher position = POSITIONS.matcher(fault.detail());
        if (fault.pointer().equals("/schedule/cron") && cron != null && position.find()) {
            return cron.replaceAll("\\s", " ") + "\n" + carets(position) + "\n" + fault.detail();
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

    private static void put(ObjectNode schedule, String name, String value) {
        if (value != null) {
            schedule.put(name, value);
        }
    }
}
