package io.twinbell.tools.cli.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.ScheduleOptions;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell preview}: shows when a schedule would fire. Nothing is stored. */
@Command(
        name = "preview",
        sortOptions = false,
        description = "Shows the fire times of a schedule and the effects of clock changes. It stores nothing.",
        footer = {
            "  twinbell preview \"0 30 2 * * ?\" --zone Europe/Berlin --from 2026-03-28",
            "  twinbell preview --schedule '{\"rrule\":\"FREQ=WEEKLY\",\"dtstart\":\"2026-01-05T09:00\"}' --zone Europe/Berlin",
            "  twinbell preview --every 90m -n 3 -o json",
        })
public final class PreviewCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "'CRON'",
            description = "A cron expression in quotes, or @daily, '@every 5m' and so on.")
    private String cron;

    @Mixin
    private ScheduleOptions schedule;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description =
                    "Show fire times after this: a date, a date and time in the zone, or an instant. Default: now.")
    private String from;

    @Option(
            names = {"-n", "--count"},
            defaultValue = "10",
            description = "Number of fire times, 1 to 1000. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(
            names = {"-b", "--backward"},
            description = "Show earlier fire times, newest first.")
    private boolean backward;

    @Option(names = "--start", paramLabel = "TIME", description = "The start of the task; intervals count from it.")
    private String start;

    @Option(names = "--end", paramLabel = "TIME", description = "The end of the task; it does not fire later.")
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
            names = "--task",
            paramLabel = "APP/NAME",
            description = "The task whose name determines the values of H in a cron expression.")
    private String task;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        PrintWriter out = spec.commandLine().getOut();
        try {
            JsonNode answer = nodes.ask("/api/v1/schedules/preview", question());
            output.print(out, answer, () -> new FireTable(answer, schedule.zone(cron)).text());
            return 0;
        } catch (NodeException.Refused e) {
            if (e.faults().isEmpty()) {
                throw e;
            }
            e.faults().forEach(fault -> spec.commandLine().getErr().println(ScheduleOptions.explained(fault, cron)));
            return e.exitCode();
        }
    }

    private ObjectNode question() {
        ObjectNode question = JsonNodeFactory.instance.objectNode();
        question.set("schedule", schedule.json(cron));
        putInstant(question, "from", from);
        putInstant(question, "start", start);
        putInstant(question, "end", end);
        question.put("count", count);
        if (backward) {
            question.put("direction", "BACKWARD");
        }
        if (!calendars.isEmpty()) {
            ArrayNode names = question.putArray("calendars");
            calendars.forEach(names::add);
        }
        if (onExcluded != null) {
            question.put("onExcluded", onExcluded.toUpperCase(Locale.ROOT));
        }
        if (task != null) {
            putTask(question);
        }
        return question;
    }

    private void putTask(ObjectNode question) {
        int slash = task.indexOf('/');
        if (slash <= 0 || slash == task.length() - 1) {
            throw new ParameterException(spec.commandLine(), "--task takes APP/NAME, not \"" + task + "\"");
        }
        question.put("app", task.substring(0, slash));
        question.put("name", task.substring(slash + 1));
    }

    private void putInstant(ObjectNode question, String name, String typed) {
        if (typed != null) {
            question.put(name, schedule.instant("--" + name, typed, cron));
        }
    }

    /** Renders a preview of fire times for people: local time, UTC, the gaps, and the effect of clock changes. */
    private static final class FireTable {
        private static final String[] UNITS = {"d", "h", "m", "s", "ms"};

        private final JsonNode answer;
        private final ZoneId zone;
        private final List<Instant> fires = new ArrayList<>();

        FireTable(JsonNode answer, ZoneId zone) {
            this.answer = answer;
            this.zone = zone;
            answer.path("fireTimes").forEach(fire -> fires.add(Instant.parse(fire.asText())));
        }

        String text() {
            List<String[]> rows = new ArrayList<>();
            rows.add(new String[] {
                "#",
                zone.equals(ZoneOffset.UTC) ? "" : zone.getId(),
                "UTC",
                "APART",
                answer.path("marks").isEmpty() ? "" : "MARK"
            });
            for (int i = 0; i < fires.size(); i++) {
                rows.add(row(i));
            }
            StringBuilder text = new StringBuilder(answer.path("description").asText()).append("\n\n");
            int[] widths = widths(rows);
            rows.forEach(row -> text.append(line(row, widths)).append('\n'));
            return text.toString();
        }

        private String[] row(int i) {
            Instant fire = fires.get(i);
            return new String[] {
                String.valueOf(i + 1),
                zone.equals(ZoneOffset.UTC) ? "" : format(" xxx").format(fire.atZone(zone)),
                format("'Z'").format(fire.atZone(ZoneOffset.UTC)),
                i == 0 ? "" : apart(Duration.between(fires.get(i - 1), fire).abs()),
                answer.path("marks")
                        .path(answer.path("fireTimes").get(i).asText())
                        .asText("")
            };
        }

        /** Shows milliseconds only if some fire time has them. */
        private DateTimeFormatter format(String offset) {
            boolean hasMillis = fires.stream().anyMatch(fire -> fire.getNano() != 0);
            return DateTimeFormatter.ofPattern(
                    "EEE uuuu-MM-dd HH:mm:ss" + (hasMillis ? ".SSS" : "") + offset, Locale.ENGLISH);
        }

        private static String apart(Duration distance) {
            long[] parts = {
                distance.toDays(),
                distance.toHoursPart(),
                distance.toMinutesPart(),
                distance.toSecondsPart(),
                distance.toMillisPart()
            };
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < parts.length; i++) {
                if (parts[i] != 0) {
                    text.append(text.isEmpty() ? "" : " ").append(parts[i]).append(UNITS[i]);
                }
            }
            return text.toString();
        }

        private static int[] widths(List<String[]> rows) {
            int[] widths = new int[rows.get(0).length];
            for (String[] row : rows) {
                for (int column = 0; column < row.length; column++) {
                    widths[column] = Math.max(widths[column], row[column].length());
                }
            }
            return widths;
        }

        /** Omits columns that are empty in all rows. */
        private static String line(String[] row, int[] widths) {
            StringBuilder line = new StringBuilder(" ".repeat(widths[0] - row[0].length())).append(row[0]);
            for (int column = 1; column < row.length; column++) {
                if (widths[column] > 0) {
                    line.append("  ").append(row[column]).append(" ".repeat(widths[column] - row[column].length()));
                }
            }
            return line.toString().stripTrailing();
        }
    }
}
