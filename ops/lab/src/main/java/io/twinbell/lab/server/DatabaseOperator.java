package io.twinbell.lab.server;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * Actions of an administrator, or of another application, in a development pair's database. Each call opens its own
 * connection as the superuser, for whom the server reserves some.
 */
public final class DatabaseOperator {
    private static final String OURS = "datname = 'twinbell' AND usename = 'twinbell'";
    private static final int MOST_CONNECTIONS = 1000;
    /** The application name of its sessions. */
    private static final String DRILL = "twinbell drill";

    private final String url;
    private final String password;

    public DatabaseOperator(String host, int port, String password) {
        this.password = password;
        url = "jdbc:postgresql://" + host + ":" + port + "/twinbell";
    }

    /** A lock or resource in the database. It is held until this object is closed. */
    @FunctionalInterface
    public interface HeldResource extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /** An epoch with the record of its opening. */
    public record OpenedEpoch(long epoch, String node, long atMillis) {}

    /** How many of a number of sessions wait for a lock. */
    public record Waiting(long waiting, long sessions) {}

    @FunctionalInterface
    interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    /** Ends all sessions of Twinbell's nodes; returns their number. */
    public long endSessions() throws IOException {
        return number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE " + OURS);
    }

    /** Ends the session that holds the master's lock; returns the number of sessions that held it. */
    public long endLockSession() throws IOException {
        return number("SELECT count(pg_terminate_backend(pid)) FROM twinbell.master_lock_holders() AS holder (pid)");
    }

    /**
     * The age of the oldest snapshot with which a node keeps vacuum from removing rows, in transactions; 0 if there is
     * none.
     */
    public long oldestSnapshotAge() throws IOException {
        return number("SELECT coalesce(max(age(backend_xmin)), 0) FROM pg_stat_activity WHERE " + OURS);
    }

    /** The number of transactions so far that had an id. */
    public long transactions() throws IOException {
        return number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
    }

    /** Deletes the records of fast takeovers, because only three within ten minutes are allowed. */
    public void forgetLostMasters() throws IOException {
        execute("DELETE FROM twinbell.takeover");
    }

    /**
     * Makes the server refuse all writes that do not explicitly ask to write, or accept them again. Sessions learn it
     * shortly after.
     */
    public void refuseWrites(boolean wanted) throws IOException {
        execute(
                wanted
                        ? "ALTER SYSTEM SET default_transaction_read_only = on"
                        : "ALTER SYSTEM RESET default_transaction_read_only",
                "SELECT pg_reload_conf()");
    }

    /** Makes each commit wait for a synchronous replica that does not exist, or ends that. */
    public void waitForReplica(boolean wanted) throws IOException {
        execute(
                wanted
                        ? "ALTER SYSTEM SET synchronous_standby_names = 'a_replica_that_is_gone'"
                        : "ALTER SYSTEM RESET synchronous_standby_names",
                "SELECT pg_reload_conf()");
    }

    /** Whether a new session cannot write. */
    public boolean refusesWrites() throws IOException {
        return number("SELECT (current_setting('transaction_read_only') = 'on')::int") == 1;
    }

    /** Promotes the server if it is a standby server; returns when it accepts writes. */
    public void promote() throws IOException {
        number("SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote()::int ELSE 1 END");
    }

    /** How many sessions of a node's API pool wait for a lock, and how many exist. */
    public Waiting poolOf(String node) throws IOException {
        return work("read the sessions of node " + node, connection -> {
            try (PreparedStatement query = connection.prepareStatement("""
                    SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*)
                    FROM pg_stat_activity WHERE\s""" + OURS + " AND application_name LIKE ?")) {
                query.setString(1, "%/api/" + node);
                try (ResultSet row = query.executeQuery()) {
                    row.next();
                    return new Waiting(row.getLong(1), row.getLong(2));
                }
            }
        });
    }

    /** How many tasks have slots that a removal or an edit skipped and that the master has not recorded yet. */
    public long passedSlotsToEnter() throws IOException {
        return number("SELECT count(*) FROM twinbell.passed_slots");
    }

    /** The epochs after the given one, in order. */
    public List<OpenedEpoch> openedAfter(long epoch) throws IOException {
        return work("read the epochs", connection -> {
            try (PreparedStatement query = connection.prepareStatement("""
                    SELECT epoch, node, twinbell.millis(opened_at)
                    FROM twinbell.epoch_opening WHERE epoch > ? ORDER BY epoch""")) {
                query.setLong(1, epoch);
                List<OpenedEpoch> opened = new ArrayList<>();
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        opened.add(new OpenedEpoch(rows.getLong(1), rows.getString(2), rows.getLong(3)));
                    }
                }
                return opened;
            }
        });
    }

    /** How many executions started a handler under an epoch after the given one. */
    public long runsAfter(long epoch) throws IOException {
        // Excludes settled runs of a previous master, because the new master did not start them.
        return number(String.format(Locale.ROOT, """
                SELECT count(*) FROM twinbell.execution e
                WHERE e.epoch > %1$s
                  AND e.started_at > (
                    SELECT min(o.opened_at) FROM twinbell.epoch_opening o WHERE o.epoch > %1$s)""", epoch));
    }

    /** Locks a task's row, as an application's own transaction would. */
    public HeldResource lockTask(long id) throws IOException {
        try {
            Connection connection = connect("postgres");
            try {
                connection.setAutoCommit(false);
                try (PreparedStatement lock =
                        connection.prepareStatement("SELECT 1 FROM twinbell.task WHERE id = ? FOR UPDATE")) {
                    lock.setLong(1, id);
                    lock.executeQuery();
                }
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            return () -> close(connection);
        } catch (SQLException e) {
            throw failed("lock task " + id, e);
        }
    }

    /** Opens a transaction whose snapshot keeps vacuum from removing rows, as a long report would. */
    public HeldResource pinSnapshot() throws IOException {
        try {
            Connection connection = connect("postgres");
            try (Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                statement.execute("SELECT 1");
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            return () -> close(connection);
        } catch (SQLException e) {
            throw failed("pin a snapshot", e);
        }
    }

    /** Lets the nodes see the sessions of other roles. */
    public void showSessions() throws IOException {
        execute("GRANT pg_monitor TO twinbell");
    }

    /** The age of the oldest snapshot of the drill itself, in transactions; 0 if there is none. */
    public long pinnedAge() throws IOException {
        return number("""
                SELECT coalesce(max(age(backend_xmin)), 0) FROM pg_stat_activity
                WHERE application_name = '""" + DRILL + "' AND pid <> pg_backend_pid()");
    }

    /** Takes every connection that the server does not reserve for its superuser. */
    public HeldResource takeConnections() throws IOException {
        Deque<Connection> taken = new ArrayDeque<>();
        try {
            while (taken.size() < MOST_CONNECTIONS) {
                taken.push(connect("twinbell"));
            }
        } catch (SQLException full) {
            if (taken.isEmpty() || !"53300".equals(full.getSQLState())) {
                taken.forEach(DatabaseOperator::close);
                throw failed("take connections", full);
            }
        }
        return () -> taken.forEach(DatabaseOperator::close);
    }

    /** Makes the nodes use a clock that can be set. Every node gets new sessions. */
    public DevDatabaseClock settableClock() throws IOException {
        return DevDatabaseClock.install(this);
    }

    /** Copies a server's data during a backup. */
    @FunctionalInterface
    interface Copying {
        void perform() throws IOException;
    }

    /** Runs the copy while a session backs the server up; returns the backup label that the copy needs. */
    String backUp(Copying copying) throws IOException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_backup_start('twinbell drill', true)");
            copying.perform();
            try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw failed("back up", e);
        }
    }

    void execute(String... statements) throws IOException {
        for (String text : statements) {
            work(text, connection -> {
                try (Statement statement = connection.createStatement()) {
                    return statement.execute(text);
                }
            });
        }
    }

    long number(String query) throws IOException {
        return work(query, connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    <T> T work(String what, Work<T> work) throws IOException {
        try (Connection connection = connect("postgres")) {
            return work.in(connection);
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    private Connection connect(String user) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("connectTimeout", "3");
        properties.setProperty("socketTimeout", "10");
        properties.setProperty("ApplicationName", DRILL);
        return DriverManager.getConnection(url, properties);
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException brokenAnyway) {
            // The server has ended the session, and with it the locks that it held.
        }
    }

    private static IOException failed(String what, SQLException e) {
        return new IOException("PostgreSQL failed to do this for the drill: " + what + ": " + e.getMessage(), e);
    }
}
