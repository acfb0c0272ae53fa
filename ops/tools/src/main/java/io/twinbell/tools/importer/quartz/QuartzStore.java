package io.twinbell.tools.importer.quartz;

import static io.twinbell.tools.importer.JdbcSource.number;
import static io.twinbell.tools.importer.JdbcSource.text;

import io.twinbell.tools.importer.JdbcSource;
import io.twinbell.tools.importer.SourceException;
import io.twinbell.tools.importer.quartz.QuartzContent.Job;
import io.twinbell.tools.importer.quartz.QuartzContent.JobAttributes;
import io.twinbell.tools.importer.quartz.QuartzContent.Key;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import io.twinbell.tools.importer.quartz.QuartzContent.TriggerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
        TreeSet<String> names = new TreeSet<>();
        source.rows("SELECT SCHED_NAME FROM " + prefix + "JOB_DETAILS")
                .forEach(row -> names.add(text(row, "SCHED_NAME")));
        return List.copyOf(names);
    }

    /** All content of one scheduler. */
    public QuartzContent read(String scheduler) throws SourceException {
        List<Job> jobs = new ArrayList<>();
        for (Map<String, Object> row : of("JOB_DETAILS", scheduler)) {
            jobs.add(new Job(
                    new Key(text(row, "JOB_GROUP"), text(row, "JOB_NAME")),
                    text(row, "DESCRIPTION"),
                    text(row, "JOB_CLASS_NAME"),
                    new JobAttributes(
                            is(row, "IS_DURABLE"),
                            is(row, "IS_NONCONCURRENT"),
                            is(row, "IS_UPDATE_DATA"),
                            is(row, "REQUESTS_RECOVERY")),
                    (byte[]) row.get("JOB_DATA")));
        }
        Map<String, byte[]> calendars = new LinkedHashMap<>();
        of("CALENDARS", scheduler)
                .forEach(row -> calendars.put(text(row, "CALENDAR_NAME"), (byte[]) row.get("CALENDAR")));
        return new QuartzContent(jobs, triggers(scheduler), calendars);
    }

    private List<QuartzTrigger> triggers(String scheduler) throws SourceException {
        Map<String, Map<Key, Map<String, Object>>> kinds = new HashMap<>();
        for (String table : new TreeSet<>(TABLES.values())) {
            Map<Key, Map<String, Object>> byKey = new HashMap<>();
            of(table, scheduler).forEach(row -> byKey.put(triggerKey(row), row));
            kinds.put(table, byKey);
        }
        List<QuartzTrigger> triggers = new ArrayList<>();
        for (Map<String, Object> row : of("TRIGGERS", scheduler)) {
            String type = text(row, "TRIGGER_TYPE");
            Key key = triggerKey(row);
            triggers.add(new QuartzTrigger(
                    key,
                    new Key(text(row, "JOB_GROUP"), text(row, "JOB_NAME")),
                    type,
                    new TriggerState(
                            text(row, "TRIGGER_STATE"),
                            text(row, "CALENDAR_NAME"),
                            (int) number(row, "PRIORITY"),
                            (int) number(row, "MISFIRE_INSTR"),
                            number(row, "NEXT_FIRE_TIME"),
                            number(row, "START_TIME"),
                            number(row, "END_TIME")),
                    kinds.getOrDefault(TABLES.getOrDefault(type, ""), Map.of()).getOrDefault(key, Map.of()),
                    (byte[]) row.get("JOB_DATA")));
        }
        return triggers;
    }

    private static Key triggerKey(Map<String, Object> row) {
        return new Key(text(row, "TRIGGER_GROUP"), text(row, "TRIGGER_NAME"));
    }

    private List<Map<String, Object>> of(String table, String scheduler) throws SourceException {
        return source.rows("SELECT * FROM " + prefix + table + " WHERE SCHED_NAME = ?", scheduler);
    }

    /** Quartz writes 1, Y or true in databases without booleans. */
    private static boolean is(Map<String, Object> row, String column) {
        Object value = row.get(column);
        return value instanceof Boolean yes
                ? yes
                : value != null
                        && List.of("1", "Y", "TRUE").contains(value.toString().toUpperCase(Locale.ROOT));
    }
}
