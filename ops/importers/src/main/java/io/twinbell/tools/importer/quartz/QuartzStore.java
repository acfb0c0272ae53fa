package io.twinbell.tools.importer.quartz;

import io.twinbell.tools.importer.JdbcSource;
import io.twinbell.tools.importer.SourceException;
import io.twinbell.tools.importer.SourceRow;
import io.twinbell.tools.importer.quartz.QuartzContent.BadRow;
import io.twinbell.tools.importer.quartz.QuartzContent.Job;
import io.twinbell.tools.importer.quartz.QuartzContent.JobAttributes;
import io.twinbell.tools.importer.quartz.QuartzContent.Key;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import io.twinbell.tools.importer.quartz.QuartzContent.TriggerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads Quartz's tables over JDBC. It writes nothing and takes none of Quartz's locks. */
public final class QuartzStore {
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.]{0,64}");
    /** The tables CRON_TRIGGERS and so on, by TRIGGER_TYPE. */
    private static final Map<String, String> TABLES = Map.of(
            "CRON",
            "CRON_TRIGGERS",
            "SIMPLE",
            "SIMPLE_TRIGGERS",
            "CAL_INT",
            "SIMPROP_TRIGGERS",
            "DAILY_I",
            "SIMPROP_TRIGGERS");

    private static final int DEFAULT_PRIORITY = 5;
    private static final List<String> JOB_COLUMNS = List.of(
            "JOB_NAME",
            "JOB_GROUP",
            "JOB_CLASS_NAME",
            "IS_DURABLE",
            "IS_NONCONCURRENT",
            "IS_UPDATE_DATA",
            "REQUESTS_RECOVERY",
            "JOB_DATA");
    private static final List<String> TRIGGER_COLUMNS = List.of(
            "TRIGGER_NAME",
            "TRIGGER_GROUP",
            "JOB_NAME",
            "JOB_GROUP",
            "TRIGGER_TYPE",
            "TRIGGER_STATE",
            "CALENDAR_NAME",
            "PRIORITY",
            "MISFIRE_INSTR",
            "NEXT_FIRE_TIME",
            "START_TIME",
            "END_TIME",
            "JOB_DATA");

    private final JdbcSource source;
    private final String prefix;

    private QuartzStore(JdbcSource source, String prefix) {
        this.source = source;
        this.prefix = prefix;
    }

    /**
     * A store in these tables.
     *
     * @param prefix the prefix of the tables, such as {@code QRTZ_}, with a schema if necessary
     * @throws SourceException if the prefix cannot be one
     */
    public static QuartzStore of(JdbcSource source, String prefix) throws SourceException {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new SourceException(
                    "The prefix of Quartz's tables may contain only letters, digits, _ and .: " + prefix, null);
        }
        return new QuartzStore(source, prefix);
    }

    /** The names of the schedulers in this store. */
    public List<String> schedulers() throws SourceException {
        return source.rows("SELECT DISTINCT SCHED_NAME FROM " + prefix + "JOB_DETAILS", List.of("SCHED_NAME")).stream()
                .map(row -> String.valueOf(row.text("SCHED_NAME")))
                .sorted()
                .toList();
    }

    /** All content of one scheduler. */
    public QuartzContent read(String scheduler) throws SourceException {
        List<BadRow> bad = new ArrayList<>();
        Map<Key, Job> jobs = new LinkedHashMap<>();
        for (SourceRow row : of("JOB_DETAILS", scheduler, JOB_COLUMNS)) {
            Key key = new Key(row.text("JOB_GROUP"), row.text("JOB_NAME"));
            String where = "job " + key.plain();
            try {
                if (jobs.put(key, job(row, key)) != null) {
                    throw new IllegalArgumentException("is in JOB_DETAILS twice");
                }
            } catch (IllegalArgumentException e) {
                bad.add(new BadRow(where, e.getMessage()));
            }
        }
        Map<String, byte[]> calendars = new LinkedHashMap<>();
        for (SourceRow row : of("CALENDARS", scheduler, List.of("CALENDAR_NAME", "CALENDAR"))) {
            try {
                calendars.put(row.requiredText("CALENDAR_NAME"), row.bytes("CALENDAR"));
            } catch (IllegalArgumentException e) {
                bad.add(new BadRow("calendar " + row.text("CALENDAR_NAME"), e.getMessage()));
            }
        }
        return new QuartzContent(List.copyOf(jobs.values()), triggers(scheduler, bad), calendars, bad);
    }

    private static Job job(SourceRow row, Key key) {
        return new Job(
                key,
                row.text("DESCRIPTION"),
                row.requiredText("JOB_CLASS_NAME"),
                new JobAttributes(
                        row.is("IS_DURABLE"),
                        row.is("IS_NONCONCURRENT"),
                        row.is("IS_UPDATE_DATA"),
                        row.is("REQUESTS_RECOVERY")),
                row.bytes("JOB_DATA"));
    }

    private List<QuartzTrigger> triggers(String scheduler, List<BadRow> bad) throws SourceException {
        Map<String, Map<Key, SourceRow>> kinds = new HashMap<>();
        for (String table : new TreeSet<>(TABLES.values())) {
            Map<Key, SourceRow> byKey = new HashMap<>();
            of(table, scheduler, List.of("TRIGGER_GROUP", "TRIGGER_NAME"))
                    .forEach(row -> byKey.put(triggerKey(row), row));
            kinds.put(table, byKey);
        }
        List<QuartzTrigger> triggers = new ArrayList<>();
        for (SourceRow row : of("TRIGGERS", scheduler, TRIGGER_COLUMNS)) {
            Key key = triggerKey(row);
            try {
                String type = row.requiredText("TRIGGER_TYPE");
                SourceRow kind = kinds.getOrDefault(TABLES.getOrDefault(type, ""), Map.of())
                        .getOrDefault(key, SourceRow.NONE);
                triggers.add(new QuartzTrigger(
                        key,
                        new Key(row.text("JOB_GROUP"), row.text("JOB_NAME")),
                        type,
                        state(row),
                        kind,
                        row.bytes("JOB_DATA")));
            } catch (IllegalArgumentException | ArithmeticException e) {
                bad.add(new BadRow("trigger " + key.plain(), e.getMessage()));
            }
        }
        return triggers;
    }

    /** Quartz's own readers take a missing number as 0. */
    private static TriggerState state(SourceRow row) {
        return new TriggerState(
                row.requiredText("TRIGGER_STATE"),
                row.text("CALENDAR_NAME"),
                Math.toIntExact(row.number("PRIORITY", DEFAULT_PRIORITY)),
                Math.toIntExact(row.number("MISFIRE_INSTR", 0)),
                row.number("NEXT_FIRE_TIME", 0),
                row.number("START_TIME"),
                row.number("END_TIME", 0));
    }

    private static Key triggerKey(SourceRow row) {
        return new Key(row.text("TRIGGER_GROUP"), row.text("TRIGGER_NAME"));
    }

    private List<SourceRow> of(String table, String scheduler, List<String> columns) throws SourceException {
        return source.rows("SELECT * FROM " + prefix + table + " WHERE SCHED_NAME = ?", columns, scheduler);
    }
}
