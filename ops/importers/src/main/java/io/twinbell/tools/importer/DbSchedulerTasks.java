package io.twinbell.tools.importer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.ExactJson;
import io.twinbell.tools.importer.quartz.serialized.SerializedFormReader;
import io.twinbell.tools.importer.quartz.serialized.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Turns the executions of db-scheduler's table into tasks: each planned execution becomes a one-shot. The schedule of a
 * recurring task is in the application's code, so it must be given.
 */
public final class DbSchedulerTasks {
    private static final Pattern TABLE =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})?");
    /** The name that db-scheduler gives to the only instance of a recurring task. */
    private static final String RECURRING = "recurring";
    /** db-scheduler's priorities begin at 10 and end at 90; 50 is the default. */
    private static final int PRIORITIES_A_STEP = 10;

    private static final List<String> COLUMNS =
            List.of("TASK_NAME", "TASK_INSTANCE", "TASK_DATA", "EXECUTION_TIME", "PICKED");

    private final String app;
    private final String zone;
    private final Map<String, String> recurring;
    private final ImportedHandlers handlers;

    private DbSchedulerTasks(String app, String zone, Map<String, String> recurring, ImportedHandlers handlers) {
        this.app = app;
        this.zone = zone;
        this.recurring = recurring;
        this.handlers = handlers;
    }

    /**
     * Every planned execution, in the order of task names and instances.
     *
     * @param table the name of the table, with its schema if necessary
     * @param app the app of the tasks
     * @param zone the zone of cron expressions in {@code recurring}
     * @param recurring a cron expression or an ISO duration for each recurring task
     * @throws SourceException if the table cannot be read
     */
    public static List<ImportCandidate> read(
            JdbcSource source,
            String table,
            String app,
            String zone,
            Map<String, String> recurring,
            ImportedHandlers handlers)
            throws SourceException {
        if (!TABLE.matcher(table).matches()) {
            throw new SourceException("\"" + table + "\" is not the name of a table", null);
        }
        DbSchedulerTasks tasks = new DbSchedulerTasks(app, zone, recurring, handlers);
        List<ImportCandidate> found = new ArrayList<>();
        for (SourceRow row : source.rows("SELECT * FROM " + table + " ORDER BY task_name, task_instance", COLUMNS)) {
            found.add(tasks.execution(row));
        }
        return found;
    }

    private ImportCandidate execution(SourceRow row) {
        String where = row.text("TASK_NAME") + "/" + row.text("TASK_INSTANCE");
        String description = "execution at " + row.value("EXECUTION_TIME");
        try {
            return execution(row, where, description);
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left(where, description, "its " + e.getMessage());
        }
    }

    private ImportCandidate execution(SourceRow row, String where, String description) {
        String name = row.requiredText("TASK_NAME");
        String instance = row.requiredText("TASK_INSTANCE");
        if (row.is("PICKED")) {
            return ImportCandidate.left(
                    where, description, "is running now: import again when db-scheduler has stopped");
        }
        boolean isRecurring = RECURRING.equals(instance);
        String schedule = recurring.get(name);
        if (isRecurring && schedule == null) {
            return ImportCandidate.left(
                    where,
                    description,
                    "its schedule is in the application's code: give --recurring '" + name + "=0 0 4 * * *' or " + name
                            + "=PT1H");
        }
        List<String> notes = new ArrayList<>();
        ObjectNode task = JsonNodeFactory.instance
                .objectNode()
                .put("app", app)
                .put("name", isRecurring ? name : name + "." + instance);
        task.set("schedule", schedule == null ? at(row, notes) : ImportedHandlers.recurring(schedule, zone));
        clockChanges((ObjectNode) task.path("schedule"), notes);
        JsonNode data = data(row.value("TASK_DATA"));
        task.set("handler", handlers.handler(name, instance));
        handlers.addData(task, data);
        priority(row, task, notes);
        long failures = row.number("CONSECUTIVE_FAILURES", 0);
        if (failures > 0) {
            notes.add("has failed " + failures + " times in a row: its failure handler is code, so give the task a"
                    + " retry");
        }
        // db-scheduler revives executions of dead instances.
        task.put("orphan", "RERUN");
        return ImportCandidate.taken(where, description, task, notes);
    }

    /** db-scheduler fires no time that the clock jumps over. */
    private static void clockChanges(ObjectNode schedule, List<String> notes) {
        boolean isHourly = ImportedTimes.hours(schedule).startsWith("*");
        if (!isHourly && !ImportedTimes.touched(schedule, true).isEmpty()) {
            schedule.put("dstGap", "SKIP");
        }
        if (!ImportedTimes.touched(schedule, false).isEmpty()) {
            notes.add("a time that the clock repeats fires "
                    + (isHourly
                            ? "twice here, and may fire once in db-scheduler"
                            : "at its first occurrence here, and may fire twice in db-scheduler"));
        }
    }

    private static void priority(SourceRow row, ObjectNode task, List<String> notes) {
        if (row.value("PRIORITY") == null) {
            return;
        }
        long priority = row.number("PRIORITY");
        long scaled = Math.max(0, Math.min(9, priority / PRIORITIES_A_STEP));
        task.put("priority", scaled);
        if (scaled * PRIORITIES_A_STEP != priority) {
            notes.add("priority " + priority + " is " + scaled + " here");
        }
    }

    private static ObjectNode at(SourceRow row, List<String> notes) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("at", ImportedTimes.text("execution_time", row.instant("EXECUTION_TIME"), notes));
    }

    /** Null if there is none. Serializers write Java's own form, or JSON in UTF-8; the column may have a type for texts. */
    private static JsonNode data(Object column) {
        if (column instanceof Number) {
            throw new IllegalArgumentException("task_data is a number, such as that of a large object");
        }
        byte[] bytes = column instanceof byte[] binary
                ? binary
                : column == null ? new byte[0] : column.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0) {
            return null;
        }
        if (bytes.length > SerializedFormReader.MAX_BYTES) {
            throw new IllegalArgumentException("task_data is longer than " + SerializedFormReader.MAX_BYTES + " bytes");
        }
        try {
            boolean isSerialized = bytes.length > 1 && (bytes[0] & 0xff) == 0xac && (bytes[1] & 0xff) == 0xed;
            return isSerialized
                    ? SerializedFormReader.value(bytes)
                    : ExactJson.document(StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (UnreadableException e) {
            throw new IllegalArgumentException("task_data " + e.getMessage(), e);
        } catch (JsonProcessingException | CharacterCodingException e) {
            throw new IllegalArgumentException("task_data is neither Java's serialized form nor JSON", e);
        }
    }
}
