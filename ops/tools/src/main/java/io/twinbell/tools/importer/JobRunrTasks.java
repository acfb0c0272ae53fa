package io.twinbell.tools.importer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.ExactJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Turns the recurring, scheduled and enqueued jobs of a JobRunr store into tasks. */
public final class JobRunrTasks {
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.]{0,64}");

    private static final int RETRIES = 10;

    private final Options options;
    private final ImportedHandlers handlers;
    private final UniqueNames names = new UniqueNames();

    /**
     * How to import the store.
     *
     * @param app the app of the tasks
     * @param zone the zone of recurring jobs that name none
     */
    public record Options(String app, String zone) {}

    private JobRunrTasks(Options options, ImportedHandlers handlers) {
        this.options = options;
        this.handlers = handlers;
    }

    /**
     * Every recurring job, then every job that has not ended, and one entry for each state of those that have.
     *
     * @param prefix of JobRunr's tables, with a schema if necessary
     * @throws SourceException if the tables cannot be read
     */
    public static List<ImportCandidate> read(
            JdbcSource source, String prefix, Options options, ImportedHandlers handlers) throws SourceException {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new SourceException(
                    "The prefix of JobRunr's tables may contain only letters, digits, _ and .: " + prefix, null);
        }
        JobRunrTasks jobs = new JobRunrTasks(options, handlers);
        List<ImportCandidate> found = new ArrayList<>();
        for (Map<String, Object> row : source.rows("SELECT * FROM " + prefix + "jobrunr_recurring_jobs ORDER BY id")) {
            found.add(jobs.recurring(row));
        }
        for (Map<String, Object> row : source.rows("SELECT * FROM " + prefix
                + "jobrunr_jobs WHERE state NOT IN ('SUCCEEDED', 'FAILED', 'DELETED') ORDER BY id")) {
            found.add(jobs.job(row));
        }
        for (Map<String, Object> row : source.rows("SELECT state, count(*) AS jobs FROM " + prefix
                + "jobrunr_jobs WHERE state IN ('SUCCEEDED', 'FAILED', 'DELETED') GROUP BY state ORDER BY state")) {
            String state = JdbcSource.text(row, "STATE");
            found.add(ImportCandidate.left(
                    "jobs in state " + state,
                    JdbcSource.number(row, "JOBS") + " jobs",
                    state.equals("FAILED") ? "have failed: requeue them in JobRunr first" : "have ended"));
        }
        return found;
    }

    private ImportCandidate recurring(Map<String, Object> row) {
        String id = JdbcSource.text(row, "ID");
        String where = "recurring job " + id;
        try {
            JsonNode job = json(row);
            String expression = job.path("scheduleExpression").asText();
            ObjectNode task = JsonNodeFactory.instance
                    .objectNode()
                    .put("app", options.app())
                    .put("name", names.of(id));
            List<String> notes = new ArrayList<>();
            if (expression.isEmpty()) {
                return ImportCandidate.left(where, id, "has no schedule in its JSON");
            }
            task.set("schedule", schedule(expression, job.path("zoneId").asText(options.zone()), notes));
            // JobRunr does not enqueue a recurring job while the previous one waits or runs.
            task.put("overlap", "SKIP");
            return details(where, expression, job, task, notes);
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left(where, id, e.getMessage());
        }
    }

    /** In JobRunr, as in cron, both day fields must match only if one of them begins with a star. */
    private static ObjectNode schedule(String expression, String zone, List<String> notes) {
        String[] fields = expression.strip().split("\\s+");
        return fields.length == 5 || fields.length == 6
                ? CrontabFields.withSeconds(fields, zone, notes)
                : ImportedHandlers.recurring(expression.strip(), zone);
    }

    private ImportCandidate job(Map<String, Object> row) {
        String id = JdbcSource.text(row, "ID");
        String state = JdbcSource.text(row, "STATE");
        String where = "job " + id;
        if (row.get("RECURRINGJOBID") != null) {
            return ImportCandidate.left(
                    where,
                    state,
                    "is a run of the recurring job " + row.get("RECURRINGJOBID") + ", which becomes a task");
        }
        if (!state.equals("SCHEDULED") && !state.equals("ENQUEUED")) {
            return ImportCandidate.left(
                    where, state, "is " + state + ": import again when JobRunr's servers have finished it");
        }
        try {
            JsonNode job = json(row);
            ObjectNode task = JsonNodeFactory.instance
                    .objectNode()
                    .put("app", options.app())
                    .put("name", id);
            if (state.equals("SCHEDULED")) {
                task.putObject("schedule").put("at", scheduledAt(job));
            } else {
                task.putObject("schedule").put("in", "PT0S");
            }
            return details(where, state, job, task, new ArrayList<>());
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left(where, state, e.getMessage());
        }
    }

    /** From the newest state in the job's own history, because the column has no time zone. */
    private static String scheduledAt(JsonNode job) {
        JsonNode history = job.path("jobHistory");
        for (int i = history.size() - 1; i >= 0; i--) {
            if (history.get(i).hasNonNull("scheduledAt")) {
                return history.get(i).path("scheduledAt").asText();
            }
        }
        throw new IllegalArgumentException("has no scheduledAt in its history");
    }

    private ImportCandidate details(
            String where, String description, JsonNode job, ObjectNode task, List<String> notes) {
        JsonNode details = job.path("jobDetails");
        if (!details.hasNonNull("className") || !details.hasNonNull("methodName")) {
            return ImportCandidate.left(where, description, "has no class or method in its JSON");
        }
        String method = details.path("className").asText() + "."
                + details.path("methodName").asText();
        if (details.hasNonNull("staticFieldName")) {
            return ImportCandidate.left(
                    where,
                    description,
                    "calls a method of the static field "
                            + details.path("staticFieldName").asText());
        }
        task.set("handler", handlers.handler(method, task.path("name").asText()));
        ArrayNode parameters = JsonNodeFactory.instance.arrayNode();
        for (JsonNode parameter : details.path("jobParameters")) {
            if (parameter.path("className").asText().equals("org.jobrunr.jobs.context.JobContext")) {
                notes.add("its parameter JobContext is left out: a java handler has a TaskContext");
            } else {
                parameters.add(parameter.path("object"));
            }
        }
        if (!parameters.isEmpty()) {
            handlers.addData(task, JsonNodeFactory.instance.objectNode().set("parameters", parameters));
        }
        // JobRunr tries ten times more by default, each time after a longer delay, and again after a crash.
        int retries = job.path("amountOfRetries").asInt(RETRIES);
        if (retries > 0) {
            task.putObject("retry")
                    .put("maxAttempts", retries + 1)
                    .put("backoff", "PT3S")
                    .put("multiplier", 3)
                    .put("maxBackoff", "PT16H");
        }
        task.put("orphan", "RERUN");
        return ImportCandidate.taken(where, description + " " + method, task, notes);
    }

    private static JsonNode json(Map<String, Object> row) {
        try {
            return ExactJson.strict().readTree(String.valueOf(row.get("JOBASJSON")));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its JSON cannot be read: " + e.getOriginalMessage());
        }
    }
}
