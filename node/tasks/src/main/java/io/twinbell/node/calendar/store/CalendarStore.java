package io.twinbell.node.calendar.store;

import io.twinbell.node.defaults.store.StoredDefaults;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.persistence.database.Transactions;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Stores calendars as people write them. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class CalendarStore implements CalendarSource {
    /** The maximum number of calendars. */
    public static final int MAX_CALENDARS = 1000;

    private static final String SELECT = "select name, version, content, source, twinbell.millis(created_at),"
            + " twinbell.millis(updated_at) from twinbell.calendar";
    /** Excludes concurrent writers of calendars. Tasks and claims only read calendars, and do not wait. */
    private static final String ONE_WRITER = "lock table twinbell.calendar in share row exclusive mode";

    private static final String INSERT =
            "insert into twinbell.calendar (content, source, name) values (?::jsonb, ?, ?)";
    private static final String UPDATE = "update twinbell.calendar set content = ?::jsonb, source = ?,"
            + " version = nextval('twinbell.calendar_version'), updated_at = clock_timestamp() where name = ?";
    private static final String RESPECTING = "select id, app, name, count(*) over () from ("
            + "select t.id, t.app, t.name"
            + " from twinbell.task_calendar c join twinbell.task t on t.id = c.task_id where c.calendar = ?"
            + " and (cardinality(?::text[]) = 0 or t.app = any(?::text[]))"
            + " union all select null, null, alert from twinbell.alert_calendar"
            + " where calendar = ? and cardinality(?::text[]) = 0)"
            + " as respecting order by id nulls first, name limit 10";
    private static final String CHANGED = """
            select c.name, c.version, case when k.version is distinct from c.version then c.content end
            from twinbell.calendar c left join unnest(?::text[], ?::bigint[]) as k(name, version) on k.name = c.name""";

    private final Transactions transactions;

    /**
     * The tasks and alerts that use a calendar.
     *
     * @param some at most ten of them: alerts before tasks, tasks in the order of their ids
     */
    public record Users(long count, List<User> some) {}

    /**
     * A task or an alert that uses a calendar.
     *
     * @param taskId the task's id; null for an alert
     * @param app the task's app; null for an alert
     * @param name the name of the task or of the alert
     */
    public record User(Long taskId, String app, String name) {
        public boolean isAlert() {
            return taskId == null;
        }

        /** Returns {@code app/name (id)}, or {@code alert NAME}, for messages. */
        public String text() {
            return isAlert() ? "alert " + name : app + "/" + name + " (" + taskId + ")";
        }
    }

    /**
     * The result of a put.
     *
     * @param calendar the stored calendar; null if there is none
     */
    public record PutResult(PutOutcome outcome, StoredCalendar calendar) {}

    /** The outcomes of a put. */
    public enum PutOutcome {
        CREATED,
        REPLACED,
        UNCHANGED,
        /** The stored version is not the expected one. */
        CONFLICT,
        /** There are {@link #MAX_CALENDARS} already. */
        FULL
    }

    /**
     * The result of a removal. The calendar was removed if it existed and nothing uses it.
     */
    public record Removal(boolean existed, Users users) {}

    public CalendarStore(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /**
     * Stores the calendar under its name and notifies both nodes. Storing the same content again changes nothing.
     *
     * @param source may be null
     * @param expectedVersion the version that must be replaced; null for any
     */
    public PutResult put(String name, String content, String source, Long expectedVersion) {
        return transactions.run("store a calendar", connection -> {
            execute(connection, ONE_WRITER);
            StoredCalendar current = read(connection, " where name = ?", name).stream()
                    .findFirst()
                    .orElse(null);
            if (expectedVersion != null && (current == null || current.version() != expectedVersion)) {
                return new PutResult(PutOutcome.CONFLICT, current);
            }
            if (current != null && isSame(connection, name, content, source)) {
                return new PutResult(PutOutcome.UNCHANGED, current);
            }
            if (current == null && number(connection, "select count(*) from twinbell.calendar") >= MAX_CALENDARS) {
                return new PutResult(PutOutcome.FULL, null);
            }
            execute(connection, current == null ? INSERT : UPDATE, content, source, name);
            execute(connection, "select pg_notify('twinbell_calendar', ?)", name);
            StoredCalendar stored = read(connection, " where name = ?", name).get(0);
            return new PutResult(current == null ? PutOutcome.CREATED : PutOutcome.REPLACED, stored);
        });
    }

    private static boolean isSame(Connection connection, String name, String content, String source)
            throws SQLException {
        String same = "select count(*) from twinbell.calendar"
                + " where name = ? and content = ?::jsonb and source is not distinct from ?";
        return number(connection, same, name, content, source) == 1;
    }

    public Optional<StoredCalendar> find(String name) {
        return transactions.run(
                "read a calendar",
                connection -> read(connection, " where name = ?", name).stream().findFirst());
    }

    /** At most {@code limit} calendars with a name above {@code afterName}, in the order of their names. */
    public List<StoredCalendar> list(String afterName, int limit) {
        return transactions.run(
                "list calendars",
                connection -> read(connection, " where name > ? order by name limit " + limit, afterName));
    }

    /**
     * Locks the calendar first: a transaction that stores a task with this calendar holds its row, so the task is
     * visible after the wait.
     */
    /** Removes the calendar, unless tasks or alerts use it. */
    public Removal remove(String name) {
        return transactions.run("remove a calendar", connection -> {
            if (read(connection, " where name = ? for update", name).isEmpty()) {
                return new Removal(false, new Users(0, List.of()));
            }
            Users users = users(connection, name, Set.of());
            if (users.count() == 0) {
                execute(connection, "delete from twinbell.calendar where name = ?", name);
                execute(connection, "select pg_notify('twinbell_calendar', ?)", name);
            }
            return new Removal(true, users);
        });
    }

    /**
     * Returns the tasks that respect the calendar, and the alerts that use it.
     *
     * @param apps counts only tasks of these apps, and no alerts; empty for all
     */
    public Users users(String name, Set<String> apps) {
        return transactions.run("read what uses a calendar", connection -> users(connection, name, apps));
    }

    @Override
    public Changes changedSince(Map<String, Long> known) {
        return transactions.run("read calendars", connection -> changedSince(connection, known));
    }

    @Override
    public Optional<List<StoredDefaults>> defaultsChangedSince(long version) {
        return transactions.run("read defaults", connection -> TaskDefaultsStore.changedSince(connection, version));
    }

    private static Users users(Connection connection, String name, Set<String> apps) throws SQLException {
        Array only = connection.createArrayOf("text", apps.toArray());
        try (PreparedStatement statement = prepared(connection, RESPECTING, name, only, only, name, only);
                ResultSet rows = statement.executeQuery()) {
            List<User> some = new ArrayList<>();
            long all = 0;
            while (rows.next()) {
                some.add(new User(rows.getObject(1, Long.class), rows.getString(2), rows.getString(3)));
                all = rows.getLong(4);
            }
            return new Users(all, some);
        }
    }

    private static List<StoredCalendar> read(Connection connection, String tail, String name) throws SQLException {
        try (PreparedStatement statement = prepared(connection, SELECT + tail, name);
                ResultSet rows = statement.executeQuery()) {
            List<StoredCalendar> calendars = new ArrayList<>();
            while (rows.next()) {
                calendars.add(new StoredCalendar(
                        rows.getString(1),
                        rows.getLong(2),
                        rows.getString(3),
                        rows.getString(4),
                        rows.getLong(5),
                        rows.getLong(6)));
            }
            return calendars;
        }
    }

    private static long number(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static void execute(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values)) {
            statement.execute();
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    /** The same on a given connection. */
    static CalendarSource.Changes changedSince(Connection connection, Map<String, Long> known) throws SQLException {
        List<Map.Entry<String, Long>> entries = List.copyOf(known.entrySet());
        Set<String> gone = new HashSet<>(known.keySet());
        List<CalendarSource.Content> changed = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(CHANGED)) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "text", entries.stream().map(Map.Entry::getKey).toArray()));
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "bigint", entries.stream().map(Map.Entry::getValue).toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    gone.remove(rows.getString(1));
                    if (rows.getString(3) != null) {
                        changed.add(new CalendarSource.Content(rows.getString(1), rows.getLong(2), rows.getString(3)));
                    }
                }
            }
        }
        return new CalendarSource.Changes(changed, gone);
    }
}
