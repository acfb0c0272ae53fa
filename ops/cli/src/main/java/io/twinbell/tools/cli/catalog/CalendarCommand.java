package io.twinbell.tools.cli.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell calendar}: manages the calendars that tasks respect. */
@Command(
        name = "calendar",
        description = "Lists and changes calendars, which restrict when tasks fire.",
        footer = {"  twinbell calendar list", "  twinbell calendar put holidays holidays.ics --zone Europe/Berlin"})
public final class CalendarCommand {
    /** The node answers only after the tasks that use the calendar have been moved. */
    private static final NamedObjects CALENDARS =
            new NamedObjects("/api/v1/calendars", "calendars", Duration.ofMinutes(1));

    /** The first line of an iCalendar file. RFC 5545 compares names without regard to case, and so does the node. */
    private static final String CALENDAR_START = "BEGIN:VCALENDAR";

    @Spec
    private CommandSpec spec;

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists calendars by name.",
            footer = {"  twinbell calendar list", "  twinbell calendar list -o yaml"})
    int list(@Mixin CommandOutput output, @Mixin NodeAddresses nodes) throws NodeException {
        return CALENDARS.list(spec, output, nodes, CalendarCommand::line);
    }

    private static String line(JsonNode calendar) {
        return String.format(
                        Locale.ROOT,
                        "%s %s %s version=%d %s",
                        calendar.path("name").asText(),
                        calendar.path("mode").asText(),
                        calendar.path("zone").asText(),
                        calendar.path("version").asLong(),
                        calendar.path("description").asText(""))
                .strip();
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Prints a calendar as JSON, in the form that 'calendar put' accepts.",
            footer = {"  twinbell calendar show holidays > holidays.json"})
    int show(
            @Mixin NodeAddresses nodes,
            @Parameters(paramLabel = "NAME") String name,
            @Option(names = "--source", description = "Print the iCalendar file from which the calendar was created.")
                    boolean source)
            throws NodeException {
        ObjectNode calendar = (ObjectNode) nodes.get(CALENDARS.path(name));
        JsonNode file = calendar.path("source");
        if (source && !file.isTextual()) {
            spec.commandLine().getErr().println("Calendar " + name + " was not created from an iCalendar file");
            return 1;
        }
        calendar.remove(List.of("source", "createdAt", "updatedAt"));
        out().print(source ? file.asText() : calendar.toPrettyString() + System.lineSeparator());
        out().flush();
        return 0;
    }

    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            description = "Creates or replaces a calendar, from JSON or an iCalendar file. Returns once every task that"
                    + " uses the calendar has its new fire time.",
            footer = {
                "  twinbell calendar put holidays holidays.json",
                "  twinbell calendar put fairs fairs.ics --mode ALLOW"
            })
    int put(
            @Mixin NodeAddresses nodes,
            @Parameters(index = "0", paramLabel = "NAME") String name,
            @Parameters(index = "1", paramLabel = "FILE") Path file,
            @Option(names = "--zone", description = "For an iCalendar file: the time zone of its days.") String zone,
            @Option(names = "--mode", description = "For an iCalendar file: EXCLUDE (default) or ALLOW.") String mode)
            throws NodeException {
        String text = withoutByteOrderMark(NamedObjects.read(spec, file));
        boolean isHolidayFile = text.stripLeading().regionMatches(true, 0, CALENDAR_START, 0, CALENDAR_START.length());
        if (!isHolidayFile && (zone != null || mode != null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--zone and --mode are for iCalendar files only; a JSON file has members zone and mode");
        }
        String query = (zone == null ? "" : "&zone=" + QueryString.encoded(zone))
                + (mode == null ? "" : "&mode=" + QueryString.encoded(mode));
        String path = CALENDARS.path(name) + (query.isEmpty() ? "" : "?" + query.substring(1));
        String type = isHolidayFile ? "text/calendar" : "application/json";
        out().println(line(CALENDARS.put(nodes, path, type, text)));
        return 0;
    }

    /** Some editors write this mark at the start of a UTF-8 file, and the node would refuse it. */
    private static String withoutByteOrderMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    @Command(
            name = "rm",
            mixinStandardHelpOptions = true,
            description = "Removes a calendar that no task uses.",
            footer = {"  twinbell calendar rm holidays"})
    int remove(@Mixin NodeAddresses nodes, @Mixin ReasonOption reason, @Parameters(paramLabel = "NAME") String name)
            throws NodeException {
        return CALENDARS.remove(nodes, name, reason);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
