package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the jobs of the extension pg_cron into {@code sql} tasks. */
public final class PgCronJobs {
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,2})\\s+seconds?", Pattern.CASE_INSENSITIVE);
    private static final int MAX_SCHEDULE = 500;
    private static final int DAY_OF_MONTH = 2;
    private static final int DAY_OF_WEEK = 4;

    private final JdbcSource source;
    private final String app;
    private final UniqueNames names = new UniqueNames();

    private PgCronJobs(JdbcSource source, String app) {
        this.source = source;
        this.app = app;
    }

    /**
     * Every job of {@code cron.job}, in the order of its numbers.
     *
     * @throws SourceException if the table cannot be read
     */
    public static List<ImportCandidate> read(JdbcSource source, String app) throws SourceException {
        PgCronJobs jobs = new PgCronJobs(source, app);
        String zone = jobs.zone();
        List<ImportCandidate> found = new ArrayList<>();
        for (SourceRow row : source.rows(
                "SELECT * FROM cron.job ORDER BY jobid",
                List.of("JOBID", "SCHEDULE", "COMMAND", "DATABASE", "USERNAME"))) {
            found.add(jobs.job(row, zone));
        }
        return found;
    }

    /** pg_cron's own setting; it is missing in versions that know only GMT. */
    private String zone() throws SourceException {
        String zone = source.rows("SELECT current_setting('cron.timezone', true) AS zone", List.of("ZONE"))
                .get(0)
                .text("ZONE");
        return zone == null || zone.isEmpty() || zone.equals("GMT") ? "UTC" : zone;
    }

    private ImportCandidate job(SourceRow row, String zone) {
        String number = row.text("JOBID");
        String description = row.text("SCHEDULE") + " " + row.text("COMMAND");
        try {
            return job(row, zone, number, description);
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left("job " + number, description, e.getMessage());
        }
    }

    private ImportCandidate job(SourceRow row, String zone, String number, String description) {
        String name = row.text("JOBNAME");
        List<String> notes = new ArrayList<>();
        ObjectNode task = JsonNodeFactory.instance.objectNode().put("app", app);
        task.put("name", names.of(name == null || name.isBlank() ? "job-" + number : name));
        task.set("schedule", schedule(row.requiredText("SCHEDULE"), zone, notes));
        if (row.value("ACTIVE") != null && !row.is("ACTIVE")) {
            task.put("enabled", false);
        }
        String command = row.requiredText("COMMAND").strip();
        task.putObject("handler")
                .put("type", "sql")
                .putArray("statement")
                .add(command.endsWith(";") ? command.substring(0, command.length() - 1) : command);
        // pg_cron queues a run that is due while the previous one runs, and never runs one that it has missed.
        task.put("overlap", "QUEUE");
        task.putObject("misfire").put("policy", "SKIP");
        notes.add("ran in database " + row.text("DATABASE") + " as " + row.text("USERNAME")
                + "; here it runs in the scheduler's database as handlers.sql.user");
        return ImportCandidate.taken("job " + number, description, task, notes);
    }

    private static ObjectNode schedule(String text, String zone, List<String> notes) {
        String plain = text.strip();
        if (plain.length() > MAX_SCHEDULE) {
            throw new IllegalArgumentException("has a schedule of more than " + MAX_SCHEDULE + " characters");
        }
        Matcher seconds = SECONDS.matcher(plain);
        if (seconds.matches()) {
            return JsonNodeFactory.instance.objectNode().put("every", "PT" + Integer.parseInt(seconds.group(1)) + "S");
        }
        if (plain.startsWith("@")) {
            ObjectNode schedule = CrontabFields.ofNickname(plain, zone);
            if (schedule == null) {
                throw new IllegalArgumentException(
                        plain.equalsIgnoreCase("@reboot")
                                ? "runs when PostgreSQL starts, and a pair has no such moment"
                                : "has an unknown schedule " + plain);
            }
            return schedule;
        }
        String[] fields = plain.split("\\s+");
        if (fields.length != 5) {
            throw new IllegalArgumentException("has a schedule without five fields: " + plain);
        }
        if (!fields[DAY_OF_MONTH].contains("$")) {
            return CrontabFields.of(fields, zone, notes);
        }
        if (!fields[DAY_OF_MONTH].equals("$") || !fields[DAY_OF_WEEK].equals("*")) {
            throw new IllegalArgumentException(
                    "combines $, the last day of the month, with other days: write two tasks");
        }
        fields[DAY_OF_MONTH] = "L";
        return JsonNodeFactory.instance
                .objectNode()
                .put("cron", "0 " + String.join(" ", fields))
                .put("dialect", "SPRING")
                .put("zone", zone);
    }
}
