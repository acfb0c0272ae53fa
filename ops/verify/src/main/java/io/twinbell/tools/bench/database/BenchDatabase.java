package io.twinbell.tools.bench.database;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerRow;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * The measured pair's database, accessed with the nodes' role. It creates tasks faster than the API, reads the ledger,
 * and reads the server's counters. It depends on the tables of this version and fails if they have changed.
 */
public final class BenchDatabase implements AutoCloseable {
    private static final String[] SETTINGS = {
        "server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size"
    };
    private static final int FETCH = 10_000;
    private static final String REMOVE = """
            with removed as (
              delete from twinbell.task
              where id in (select id from twinbell.task where app = ? order by id limit 5000) returning id
            ), pages as (
              select string_agg(id::text, ',') as page from (select id, row_number() over () as n from removed) numbered
              group by n / 500
            )
            select count(*), (select count(pg_notify('twinbell_task', page)) from pages) from removed""";

    private static final String COPY = """
            with given as (
              select * from unnest(?::text[], ?::bigint[]) as g(name, fire)
            ), added as (
              insert into twinbell.task (app, name, definition_id, data, start_at, fire_at)
              select t.app, g.name, t.definition_id, t.data, t.start_at, twinbell.instant(g.fire)
              from given g cross join twinbell.task t where t.id = ?
              returning id, name
            ), states as (
              insert into twinbell.task_state (task_id, priority, next_fire_time, planned_from)
              select a.id, s.priority, twinbell.instant(g.fire), twinbell.instant(g.fire)
              from added a join given g using (name) cross join twinbell.task_state s where s.task_id = ?
            ), pages as (
              select string_agg(id::text, ',') as page from (select id, row_number() over () as n from added) numbered
              group by n / 500
            )
            select id, name, (select count(pg_notify('twinbell_task', page)) from pages) from added""";

    private final Connection connection;
    private final String url;
    private final Properties properties;

    private BenchDatabase(String url, Properties properties) throws SQLException {
        this.url = url;
        this.properties = properties;
        connection = DriverManager.getConnection(url, properties);
    }

    /** @param password may be null */
    public static BenchDatabase connect(String url, String user, String password) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        if (password != null) {
            properties.setProperty("password", password);
        }
        properties.setProperty("connectTimeout", "3");
        properties.setProperty("ApplicationName", "twinbell bench");
        try {
            return new BenchDatabase(url, properties);
        } catch (SQLException e) {
            throw new IOException("the database " + url + " refuses the user " + user + ": " + e.getMessage(), e);
        }
    }

    /** A one-shot task to create. */
    public record Copy(String name, long fireMillis) {}

    /** Creates copies of a task that differ in name and instant, in one transaction; returns their ids by name. */
    public Map<String, Long> copy(long template, List<Copy> copies) throws IOException {
        return work("copy tasks", COPY, statement -> {
            Connection of = statement.getConnection();
            statement.setArray(
                    1, of.createArrayOf("text", copies.stream().map(Copy::name).toArray()));
            statement.setArray(
                    2,
                    of.createArrayOf(
                            "bigint", copies.stream().map(Copy::fireMillis).toArray()));
            statement.setLong(3, template);
            statement.setLong(4, template);
            Map<String, Long> ids = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.put(rows.getString(2), rows.getLong(1));
                }
            }
            return ids;
        });
    }

    /** Opens a second connection, for a parallel client. */
    public BenchDatabase another() throws IOException {
        try {
            return new BenchDatabase(url, properties);
        } catch (SQLException e) {
            throw new IOException("the database does not answer: " + e.getMessage(), e);
        }
    }

    /**
     * Updates the planner's statistics, which autovacuum does only within a minute. Until then plans assume a table
     * without the new rows.
     */
    public void analyze() throws IOException {
        work("analyze", "analyze twinbell.definition, twinbell.task, twinbell.task_state", PreparedStatement::execute);
    }

    /** Calls {@code add_task} for one-shot tasks, in one transaction, as an application would. */
    public void addTasks(String app, String prefix, int from, int count, String at) throws IOException {
        String sql = """
                select twinbell.add_task(?, ? || n, jsonb_build_object('at', ?::text),
                  '{"type": "java", "key": "twinbell.noop"}', '{}') from generate_series(?, ?) as n""";
        work("add tasks", sql, statement -> {
            statement.setString(1, app);
            statement.setString(2, prefix);
            statement.setString(3, at);
            statement.setInt(4, from);
            statement.setInt(5, from + count - 1);
            return statement.execute();
        });
    }

    /** Calls {@code add_tasks} once. */
    public void addList(String json) throws IOException {
        work("add tasks", "select count(*) from twinbell.add_tasks(?::jsonb)", statement -> {
            statement.setString(1, json);
            return statement.execute();
        });
    }

    /** Whether the master has not yet read some tasks of the app. It reads tasks in the order of their ids. */
    public boolean hasUnread(String app) throws IOException {
        return number("""
                select count(*) from (select task_id from twinbell.arrival order by task_id desc limit 1) as last
                join twinbell.task on id = task_id where app = ?""", app) > 0;
    }

    /** Removes a bounded number of the app's tasks and notifies the master; returns 0 when none is left. */
    public long removeSome(String app) throws IOException {
        return number(REMOVE, app);
    }

    /** Deletes the app's executions from the ledger, because the rows of a measurement are of no later use. */
    public void forget(String app, long fromMillis, long untilMillis) throws IOException {
        work("remove executions", """
                delete from twinbell.execution
                where app = ? and fire_time between twinbell.instant(?) and twinbell.instant(?)""", statement -> {
            statement.setString(1, app);
            statement.setLong(2, fromMillis);
            statement.setLong(3, untilMillis);
            return statement.executeUpdate();
        });
        work("remove traces", "delete from twinbell.removed_task where app = ?", statement -> {
            statement.setString(1, app);
            return statement.executeUpdate();
        });
    }

    /** Whether an execution of the app has no outcome, or a claim batch exists. */
    public boolean hasUnfinished(String app) throws IOException {
        return number("""
                select count(*) from (
                  (select 1 from twinbell.execution
                   where app = ? and state in ('CLAIMED', 'RUNNING', 'RETRYING', 'PENDING') limit 1)
                  union all select 1 from twinbell.claim_batch) as one""", app) > 0;
    }

    /** Passes every ledger row of the app in a span, both ends included. */
    public void rows(String app, long fromMillis, long untilMillis, Consumer<TimedRow> to) throws IOException {
        String sql = """
                select task_id, twinbell.millis(fire_time), twinbell.millis(coalesce(until_fire_time, fire_time)),
                       slots, state, attempt, epoch, twinbell.millis(claimed_at), twinbell.millis(started_at),
                       twinbell.millis(ended_at), reason, (date_part('epoch', started_at - fire_time) * 1000000)::bigint
                from twinbell.execution
                where app = ? and fire_time between twinbell.instant(?) and twinbell.instant(?)""";
        inTransaction(() -> work("read the ledger", sql, statement -> {
            statement.setFetchSize(FETCH);
            statement.setString(1, app);
            statement.setLong(2, fromMillis);
            statement.setLong(3, untilMillis);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    to.accept(new TimedRow(row(rows), rows.getLong(12)));
                }
            }
            return null;
        }));
    }

    private static LedgerRow row(ResultSet row) throws SQLException {
        return new LedgerRow(
                new CheckedSlot(row.getLong(1), row.getLong(2)),
                new LedgerRow.CoveredRange(row.getLong(3), row.getLong(4)),
                LedgerRow.State.valueOf(row.getString(5)),
                new LedgerRow.LatestClaim(row.getInt(6), row.getLong(7), optional(row, 8)),
                new LedgerRow.Times(optional(row, 9), optional(row, 10)),
                row.getString(11));
    }

    private static OptionalLong optional(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** The database's clock, by which everything fires. */
    public long nowMillis() throws IOException {
        return work("read the time", "select twinbell.now_millis()", statement -> {
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    /**
     * The server's counters. Sessions publish their commits within a second, so wait that long before the last reading.
     */
    public ServerCounters counters() throws IOException {
        return work("read counters", """
                select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint, xact_commit
                from pg_stat_database where datname = current_database()""", statement -> {
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new ServerCounters(row.getLong(1), row.getLong(2));
            }
        });
    }

    /** The settings that determine the speed and the durability of a commit. */
    public Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String name : SETTINGS) {
            settings.put(name, work("read a setting", "show " + name, statement -> {
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getString(1);
                }
            }));
        }
        return settings;
    }

    /** Bytes of the tables that firing writes, with their indexes. */
    public Map<String, Long> sizes() throws IOException {
        return work("read sizes", """
                select 'task_state', pg_total_relation_size('twinbell.task_state')
                union all
                select 'execution', sum(pg_total_relation_size(relid))
                from pg_partition_tree('twinbell.execution') where isleaf""", statement -> {
            Map<String, Long> sizes = new LinkedHashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    sizes.put(rows.getString(1), rows.getLong(2));
                }
            }
            return sizes;
        });
    }

    /** Apps whose tasks were left by an earlier run that was killed. */
    public List<String> apps(String prefix) throws IOException {
        return work("find tasks", "select distinct app from twinbell.task where starts_with(app, ?)", statement -> {
            statement.setString(1, prefix);
            List<String> apps = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    apps.add(rows.getString(1));
                }
            }
            return apps;
        });
    }

    private long number(String sql, String app) throws IOException {
        return work("count", sql, statement -> {
            statement.setString(1, app);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    @FunctionalInterface
    private interface Work<T> {
        T with(PreparedStatement statement) throws SQLException;
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private <T> T work(String what, String sql, Work<T> work) throws IOException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return work.with(statement);
        } catch (SQLException e) {
            throw new IOException("the database failed to " + what + ": " + e.getMessage(), e);
        }
    }

    /** Begins a transaction, in which all further work is done until it is closed. */
    public Transaction begin() throws IOException {
        try {
            connection.setAutoCommit(false);
            return new Transaction();
        } catch (SQLException e) {
            throw new IOException("the database does not answer: " + e.getMessage(), e);
        }
    }

    /** An open transaction. To close it without a commit rolls it back. */
    public final class Transaction implements AutoCloseable {
        private Transaction() {}

        public void commit() throws IOException {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new IOException("the database did not commit: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() throws IOException {
            try {
                connection.rollback();
                connection.setAutoCommit(true);
            } catch (SQLException e) {
                throw new IOException("the database does not answer: " + e.getMessage(), e);
            }
        }
    }

    /** Runs the step in a transaction, because rows are fetched in pages only there. */
    private void inTransaction(Step step) throws IOException {
        Transaction reading = begin();
        try {
            step.run();
        } finally {
            reading.close();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IOException("closing the database connection failed: " + e.getMessage(), e);
        }
    }

    /** The server's counters: bytes of write-ahead log of the whole server, and commits in this database. */
    public record ServerCounters(long walBytes, long commits) {
        public ServerCounters since(ServerCounters before) {
            return new ServerCounters(walBytes - before.walBytes, commits - before.commits);
        }
    }
}
