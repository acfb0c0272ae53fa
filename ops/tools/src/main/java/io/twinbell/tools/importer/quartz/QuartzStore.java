package io.twinbell.tools.importer.quartz;

import io.twinbell.tools.importer.quartz.QuartzContent.Job;
import io.twinbell.tools.importer.quartz.QuartzContent.JobAttributes;
import io.twinbell.tools.importer.quartz.QuartzContent.Key;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import io.twinbell.tools.importer.quartz.QuartzContent.TriggerState;
import io.twinbell.tools.importer.quartz.serialized.SerializedFormReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Reads Quartz's tables over JDBC. It writes nothing and takes none of Quartz's locks. */
public final class QuartzStore implements AutoCloseable {
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

    private final Connection connection;
    private final String prefix;

    private QuartzStore(Connection connection, String prefix) {
        this.connection = connection;
        this.prefix = prefix;
    }

    /**
     * Connects to the store.
     *
     * @param driver a jar with the database's JDBC driver; null for PostgreSQL, whose driver is included
     * @param prefix the prefix of the tables, such as {@code QRTZ_}, with a schema if necessary
     * @throws QuartzException if the connection fails
     */
    public static QuartzStore open(String url, Properties login, Path driver, String prefix) throws QuartzException {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new QuartzException(
                    "The prefix of Quartz's tables may contain only letters, digits, _ and .: " + prefix, null);
        }
        try {
            Connection connection =
                    driver == null ? DriverManager.getConnection(url, login) : connect(url, login, driver);
            connection.setReadOnly(true);
            return new QuartzStore(connection, prefix);
        } catch (SQLException e) {
            throw new QuartzException("Can't connect to " + url + ": " + e.getMessage(), e);
        }
    }

    private static Connection connect(String url, Properties login, Path jar) throws SQLException, QuartzException {
        try {
            // Stays open as long as the process, because the connection may load classes at any time.
            URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()});
            for (Driver driver : ServiceLoader.load(Driver.class, classes)) {
                Connection connection = driver.acceptsURL(url) ? driver.connect(url, login) : null;
                if (connection != null) {
                    return connection;
                }
            }
        } catch (MalformedURLException e) {
            throw new QuartzException("Jar " + jar + " does not exist", e);
        }
        throw new QuartzException("No driver in " + jar + " accepts " + url, null);
    }

    /** The names of the schedulers in this store. */
    public List<String> schedulers() throws QuartzException {
        TreeSet<String> names = new TreeSet<>();
        rows("SELECT SCHED_NAME FROM " + prefix + "JOB_DETAILS", null)
                .forEach(row -> names.add(text(row, "SCHED_NAME")));
        return List.copyOf(names);
    }

    /** All content of one scheduler. */
    public QuartzContent read(String scheduler) throws QuartzException {
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

    private List<QuartzTrigger> triggers(String scheduler) throws QuartzException {
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

    private List<Map<String, Object>> of(String table, String scheduler) throws QuartzException {
        return rows("SELECT * FROM " + prefix + table + " WHERE SCHED_NAME = ?", scheduler);
    }

    private List<Map<String, Object>> rows(String query, String scheduler) throws QuartzException {
        List<Map<String, Object>> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            if (scheduler != null) {
                statement.setString(1, scheduler);
            }
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(row(result));
                }
            }
        } catch (SQLException | IOException e) {
            throw new QuartzException("Can't read Quartz's tables (" + query + "): " + e.getMessage(), e);
        }
        return rows;
    }

    private static Map<String, Object> row(ResultSet result) throws SQLException, IOException {
        ResultSetMetaData columns = result.getMetaData();
        Map<String, Object> row = new HashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String name = columns.getColumnLabel(i).toUpperCase(Locale.ROOT);
            boolean isBinary = name.equals("JOB_DATA") || name.equals("CALENDAR");
            row.put(name, isBinary ? bytes(result, i) : result.getObject(i));
        }
        return row;
    }

    private static byte[] bytes(ResultSet result, int column) throws SQLException, IOException {
        try (InputStream stream = result.getBinaryStream(column)) {
            // One byte above the limit, so that a longer value is rejected with its row.
            return stream == null ? null : stream.readNBytes(SerializedFormReader.MAX_BYTES + 1);
        }
    }

    private static String text(Map<String, Object> row, String column) {
        Object value = row.get(column);
        return value == null ? null : value.toString();
    }

    /** 0 if there is none. */
    static long number(Map<String, Object> row, String column) {
        return row.get(column) instanceof Number number ? number.longValue() : 0;
    }

    /** Quartz writes 1, Y or true in databases without booleans. */
    private static boolean is(Map<String, Object> row, String column) {
        Object value = row.get(column);
        return value instanceof Boolean yes
                ? yes
                : value != null
                        && List.of("1", "Y", "TRUE").contains(value.toString().toUpperCase(Locale.ROOT));
    }

    @Override
    public void close() throws QuartzException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new QuartzException("Can't close the connection: " + e.getMessage(), e);
        }
    }
}
