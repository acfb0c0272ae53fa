package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the jobs of the extension pg_cron into {@code sql} tasks. */
public final class PgCronJobs {
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,2})\\s+seconds?", Pattern.CASE_INSENSITIVE);
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
        for (Map<String, Object> row : source.rows("SELECT * FROM cron.job ORDER BY jobid")) {
            found.add(jobs.job(row, zone));
        }
        return found;
    }

    /** pg_cron's own setting; it is missing in versions that know only GMT. */
    private String zone() throws SourceException {
        String zone = JdbcSource.text(
                source.rows("SELECT current_setting('cron.timezone', true) AS zone")
                        .get(0),
                "ZONE");
        return zone == null || zone.isEmpty() || zone.equals("GMT") ? "UTC" : zone;
    }

    private ImportCandidate job(Map<String, Object> row, String zone) {
        String number = JdbcSource.text(row, "JOBID");
        String name = JdbcSource.text(row, "JOBNAME");
        String schedule = JdbcSource.text(row, "SCHEDULE");
        String command = String.valueOf(JdbcSource.text(row, "COMMAND")).strip();
        String where = "job " + number;
        List<String> notes = new ArrayList<>();
        ObjectNode task = JsonNodeFactory.instance.objectNode().put("app", app);
        task.put("name", names.of(name == null || name.isBlank() ? "job-" + number : name));
        try {
            task.set("schedule", schedule(schedule, zone, notes));
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left(where, schedule + " " + command, e.getMessage());
        }
        if (Boolean.FALSE.equals(row.get("ACTIVE"))) {
            task.put("enabled", false);
        }
        task.putObject("handler").put("type", "sql").putArray("statement").add(command.replaceAll(";\\s*$", ""));
        // pg_cron queues a run that is due while the previous one runs, and never runs one that it has missed.
        task.put("overlap", "QUEUE");
        task.putObject("misfire").put("policy", "SKIP");
        notes.add("ran in database " + JdbcSource.text(row, "DATABASE") + " as " + JdbcSource.text(row, "USERNAME")
                + "; here it runs in the scheduler's database as handlers.sql.user");
        return ImportCandidate.taken(where, schedule + " " + command, task, notes);
    }

    private static ObjectNode schedule(String text, String zone, List<String> notes) {
        String plain = String.valueOf(text).strip();
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
