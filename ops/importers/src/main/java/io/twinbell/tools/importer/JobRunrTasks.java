package io.twinbell.tools.importer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.ExactJson;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Turns the recurring, scheduled and enqueued jobs of a JobRunr store into tasks. */
public final class JobRunrTasks {
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.]{0,64}");

    private static final int RETRIES = 10;
    /** The pair's limit. */
    private static final int MOST_ATTEMPTS = 1_000;

    private static final int MAX_TEXT = 1_000;
    /** What is imported, or is the store's own record. */
    private static final Set<String> KNOWN = Set.of(
            "version",
            "id",
            "jobName",
            "jobSignature",
            "jobDetails",
            "jobHistory",
            "metadata",
            "amountOfRetries",
            "scheduleExpression",
            "zoneId",
            "createdBy",
            "createdAt",
            "createdAtNanos",
            "recurringJobId");

    private final String app;
    private final String zone;
    private final ImportedHandlers handlers;
    private final UniqueNames names = new UniqueNames();

    private JobRunrTasks(String app, String zone, ImportedHandlers handlers) {
        this.app = app;
        this.zone = zone;
        this.handlers = handlers;
    }

    /**
     * Every recurring job, then every job that has not ended, and one entry for each state of those that have.
     *
     * @param prefix of JobRunr's tables, with a schema if necessary
     * @param app the app of the tasks
     * @param zone the zone of recurring jobs that name none
     * @throws SourceException if the tables cannot be read
     */
    public static List<ImportCandidate> read(
            JdbcSource source, String prefix, String app, String zone, ImportedHandlers handlers)
            throws SourceException {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new SourceException(
                    "The prefix of JobRunr's tables may contain only letters, digits, _ and .: " + prefix, null);
        }
        JobRunrTasks jobs = new JobRunrTasks(app, zone, handlers);
        List<ImportCandidate> found = new ArrayList<>();
        for (SourceRow row : source.rows(
                "SELECT * FROM " + prefix + "jobrunr_recurring_jobs ORDER BY id", List.of("ID", "JOBASJSON"))) {
            found.add(jobs.recurring(row));
        }
        for (SourceRow row : source.rows(
                "SELECT * FROM " + prefix
                        + "jobrunr_jobs WHERE state IS NULL OR state NOT IN ('SUCCEEDED', 'FAILED', 'DELETED') ORDER BY id",
                List.of("ID", "STATE", "JOBASJSON", "RECURRINGJOBID"))) {
            found.add(jobs.job(row));
        }
        for (SourceRow row : source.rows(
                "SELECT state, count(*) AS jobs FROM " + prefix
                        + "jobrunr_jobs WHERE state IN ('SUCCEEDED', 'FAILED', 'DELETED') GROUP BY state ORDER BY state",
                List.of("STATE", "JOBS"))) {
            String state = row.text("STATE");
            found.add(ImportCandidate.left(
                    "jobs in state " + state,
                    row.number("JOBS") + " jobs",
                    state.equals("FAILED") ? "have failed: requeue them in JobRunr first" : "have ended"));
        }
        return found;
    }

    private ImportCandidate recurring(SourceRow row) {
        String id = row.text("ID");
        String where = "recurring job " + id;
        try {
            JsonNode job = json(row);
            String expression = text(job, "scheduleExpression");
            if (expression == null) {
                return ImportCandidate.left(where, id, "has no scheduleExpression in its JSON");
            }
            String ownZone = text(job, "zoneId");
            List<String> notes = new ArrayList<>();
            ObjectNode task =
                    JsonNodeFactory.instance.objectNode().put("app", app).put("name", names.of(row.requiredText("ID")));
            ObjectNode schedule = schedule(expression, ownZone == null ? zone : ownZone, notes);
            task.set("schedule", schedule);
            noteClockChanges(schedule, notes);
            // JobRunr does not enqueue a recurring job while the previous one waits or runs.
            task.put("overlap", "SKIP");
            noteTheRest(job, notes);
            return details(where, expression, job, task, notes);
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left(where, id, e.getMessage());
        }
    }

    /** JobRunr moves a time that the clock jumps over by the length of the gap, and fires a repeated time once. */
    private static void noteClockChanges(ObjectNode schedule, List<String> notes) {
        String hours = ImportedTimes.hours(schedule);
        List<Duration> jumpedOver = ImportedTimes.touched(schedule, true);
        if (hours.startsWith("*") && !hours.equals("*") && !jumpedOver.isEmpty()) {
            notes.add(
                    "a time that the clock jumps over does not fire here, and in JobRunr later by the length of the gap");
        } else if (!hours.startsWith("*")
                && !jumpedOver.isEmpty()
                && !jumpedOver.get(0).isZero()) {
            notes.add("a time that the clock jumps over fires at the end of the gap here, and in JobRunr later by the"
                    + " length of the gap");
        }
        if (hours.startsWith("*") && !ImportedTimes.touched(schedule, false).isEmpty()) {
            notes.add("a time that the clock repeats fires twice here, and in JobRunr at its first occurrence");
        }
    }

    /** The members that change how the job runs. */
    private static void noteTheRest(JsonNode job, List<String> notes) {
        List<String> left = new ArrayList<>();
        job.properties().forEach(member -> {
            JsonNode value = member.getValue();
            boolean isEmpty = value.isNull()
                    || value.isContainerNode() && value.isEmpty()
                    || value.isTextual() && value.textValue().isEmpty();
            if (!isEmpty && !KNOWN.contains(member.getKey())) {
                left.add(member.getKey());
            }
        });
        if (!left.isEmpty()) {
            notes.add("settings that a task does not have are left out: " + String.join(", ", left));
        }
    }

    /** Null if the member is missing. */
    private static String text(JsonNode object, String name) {
        JsonNode value = object.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isTextual() || value.textValue().length() > MAX_TEXT) {
            throw new IllegalArgumentException(
                    "its " + name + " must be a text of at most " + MAX_TEXT + " characters in its JSON");
        }
        return value.textValue();
    }

    /** In JobRunr, as in cron, both day fields must match only if one of them begins with a star. */
    private static ObjectNode schedule(String expression, String zone, List<String> notes) {
        String[] fields = expression.strip().split("\\s+");
        return fields.length == 5 || fields.length == 6
                ? CrontabFields.withSeconds(fields, zone, notes)
                : ImportedHandlers.recurring(expression.strip(), zone);
    }

    private ImportCandidate job(SourceRow row) {
        String id = row.text("ID");
        String state = row.text("STATE");
        String where = "job " + id;
        if (row.value("RECURRINGJOBID") != null) {
            return ImportCandidate.left(
                    where,
                    state,
                    "is a run of the recurring job " + row.value("RECURRINGJOBID") + ", which becomes a task");
        }
        if (!"SCHEDULED".equals(state) && !"ENQUEUED".equals(state)) {
            return ImportCandidate.left(
                    where, state, "is " + state + ": import again when JobRunr's servers have finished it");
        }
        try {
            JsonNode job = json(row);
            List<String> notes = new ArrayList<>();
            ObjectNode task =
                    JsonNodeFactory.instance.objectNode().put("app", app).put("name", row.requiredText("ID"));
            if (state.equals("SCHEDULED")) {
                task.putObject("schedule").put("at", scheduledAt(job, notes));
            } else {
                task.putObject("schedule").put("in", "PT0S");
            }
            noteTheRest(job, notes);
            return details(where, state, job, task, notes);
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left(where, state, e.getMessage());
        }
    }

    /** From the newest state in the job's own history, because the column has no time zone. */
    private static String scheduledAt(JsonNode job, List<String> notes) {
        JsonNode history = job.path("jobHistory");
        for (int i = history.size() - 1; i >= 0; i--) {
            String at = text(history.path(i), "scheduledAt");
            if (at != null) {
                try {
                    return ImportedTimes.text("its scheduledAt", Instant.parse(at), notes);
                } catch (DateTimeException e) {
                    throw new IllegalArgumentException("its scheduledAt is not an instant: " + at);
                }
            }
        }
        throw new IllegalArgumentException("has no scheduledAt in its history");
    }

    private ImportCandidate details(
            String where, String description, JsonNode job, ObjectNode task, List<String> notes) {
        JsonNode details = job.path("jobDetails");
        String type = text(details, "className");
        String called = text(details, "methodName");
        if (type == null || called == null) {
            return ImportCandidate.left(where, description, "has no class or method in its JSON");
        }
        String field = text(details, "staticFieldName");
        if (field != null) {
            return ImportCandidate.left(where, description, "calls a method of the static field " + field);
        }
        String method = type + "." + called;
        task.set("handler", handlers.handler(method, task.path("name").asText()));
        ArrayNode parameters = parameters(details.path("jobParameters"), notes);
        if (!parameters.isEmpty()) {
            handlers.addData(task, JsonNodeFactory.instance.objectNode().set("parameters", parameters));
        }
        retry(job.path("amountOfRetries"), task, notes);
        task.put("orphan", "RERUN");
        return ImportCandidate.taken(where, description + " " + method, task, notes);
    }

    private static ArrayNode parameters(JsonNode stored, List<String> notes) {
        if (!stored.isMissingNode() && !stored.isArray()) {
            throw new IllegalArgumentException("its jobParameters must be a list in its JSON");
        }
        ArrayNode parameters = JsonNodeFactory.instance.arrayNode();
        for (JsonNode parameter : stored) {
            if ("org.jobrunr.jobs.context.JobContext".equals(text(parameter, "className"))) {
                notes.add("its parameter JobContext is left out: a java handler has a TaskContext");
            } else if (parameter.has("object")) {
                parameters.add(parameter.path("object"));
            } else {
                throw new IllegalArgumentException("has a parameter without an object in its JSON");
            }
        }
        return parameters;
    }

    /** JobRunr tries ten times more by default, each time after a longer delay, and again after a crash. */
    private static void retry(JsonNode stored, ObjectNode task, List<String> notes) {
        boolean isMissing = stored.isMissingNode() || stored.isNull();
        if (!isMissing && !(stored.isIntegralNumber() && stored.canConvertToInt() && stored.intValue() >= 0)) {
            throw new IllegalArgumentException("its amountOfRetries is not a whole number from 0: " + stored);
        }
        int retries = isMissing ? RETRIES : stored.intValue();
        if (retries >= MOST_ATTEMPTS) {
            notes.add("amountOfRetries " + retries + " is " + (MOST_ATTEMPTS - 1) + " here");
            retries = MOST_ATTEMPTS - 1;
        }
        if (retries > 0) {
            task.putObject("retry")
                    .put("maxAttempts", retries + 1)
                    .put("backoff", "PT3S")
                    .put("multiplier", 3)
                    .put("maxBackoff", "PT16H");
        }
    }

    private static JsonNode json(SourceRow row) {
        try {
            JsonNode json = ExactJson.document(row.requiredText("JOBASJSON"));
            if (json.isObject()) {
                return json;
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its JSON cannot be read: " + e.getOriginalMessage());
        }
        throw new IllegalArgumentException("its JSON is not an object");
    }
}
