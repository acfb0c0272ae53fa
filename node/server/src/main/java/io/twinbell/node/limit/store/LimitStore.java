package io.twinbell.node.limit.store;

import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.limit.JdbcLimitSource;
import io.twinbell.persistence.limit.RunLimit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Stores the limits that people set. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class LimitStore {
    /** The maximum number of limits. */
    public static final int MAX_LIMITS = 10_000;

    private static final String ONE_WRITER = "lock table twinbell.run_limit in share row exclusive mode";

    private static final String PUT = """
            insert into twinbell.run_limit as l (key, max_running, rate_max, rate_per)
            select ?, ?, ?, ? * interval '1 millisecond'
            where exists (select 1 from twinbell.run_limit where key = ?)
              or (select count(*) from twinbell.run_limit) < ?
            on conflict (key) do update set max_running = excluded.max_running, rate_max = excluded.rate_max,
              rate_per = excluded.rate_per, updated_at = clock_timestamp()
            returning l.xmax = 0""";

    /** Unfinished executions and due tasks are few compared with all tasks, and have their own indexes. */
    private static final String USE = """
            with shown as (
              select * from twinbell.run_limit where key %s ? order by key limit ?
            ), running as (
              select k.key, count(*) as number
              from (select task_id from twinbell.execution where state in ('CLAIMED', 'RUNNING')
                    union all select task_id from twinbell.batch_claim) e
                join twinbell.task t on t.id = e.task_id join twinbell.definition d on d.id = t.definition_id
                cross join lateral unnest(twinbell.limit_keys(t.app, d)) as k(key)
              where k.key in (select key from shown) group by k.key
            ), due as (
              select k.key, count(*) as number
              from twinbell.task_state s join twinbell.task t on t.id = s.task_id join twinbell.definition d on d.id = t.definition_id
                cross join lateral unnest(twinbell.limit_keys(t.app, d)) as k(key)
              where s.state = 'ACTIVE' and s.next_fire_time < statement_timestamp() and k.key in (select key from shown)
              group by k.key
            ), held as (
              select held_by as key, count(*) as number from twinbell.execution
              where held_by in (select key from shown) group by held_by
            )
            select shown.key, max_running, rate_max, (extract(epoch from rate_per) * 1000)::bigint,
                   coalesce(running.number, 0), coalesce(due.number, 0) + coalesce(held.number, 0),
                   twinbell.millis(created_at), twinbell.millis(updated_at)
            from shown left join running using (key) left join due using (key) left join held using (key)
            order by shown.key""";

    private final Transactions transactions;

    /** The outcomes of a put. */
    public enum PutResult {
        CREATED,
        REPLACED,
        /** There are {@link #MAX_LIMITS} already. */
        FULL
    }

    /**
     * A limit and its current use.
     *
     * @param running claimed executions without an outcome
     * @param waiting overdue slots of tasks that have the key, and executions that wait in the ledger for the limit
     */
    public record Use(RunLimit limit, long running, long waiting, long createdAtMillis, long updatedAtMillis) {}

    public LimitStore(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** Sets the limit, replacing that of the same key, and notifies both nodes. */
    public PutResult put(RunLimit limit) {
        return transactions.run("set a limit", connection -> {
            execute(connection, ONE_WRITER);
            try (PreparedStatement statement = connection.prepareStatement(PUT)) {
                bind(statement, limit);
                Optional<Boolean> isNew = Rows.first(statement, row -> row.getBoolean(1));
                if (isNew.isEmpty()) {
                    return PutResult.FULL;
                }
                notifyListeners(connection);
                return isNew.get() ? PutResult.CREATED : PutResult.REPLACED;
            }
        });
    }

    private static void bind(PreparedStatement statement, RunLimit limit) throws SQLException {
        statement.setString(1, limit.key());
        RunLimit.Rate rate = limit.rate();
        boolean isUnlimited = limit.maxRunning() == RunLimit.UNLIMITED;
        statement.setObject(2, isUnlimited ? null : limit.maxRunning(), Types.INTEGER);
        statement.setObject(3, rate == null ? null : rate.max(), Types.INTEGER);
        statement.setObject(4, rate == null ? null : rate.per().toMillis(), Types.BIGINT);
        statement.setString(5, limit.key());
        statement.setInt(6, MAX_LIMITS);
    }

    public Optional<Use> find(String key) {
        return read("=", key, 1).stream().findFirst();
    }

    /** At most {@code max} limits with a key above {@code afterKey}, in the order of their keys. */
    public List<Use> list(String afterKey, int max) {
        return read(">", afterKey, max);
    }

    private List<Use> read(String comparison, String key, int max) {
        return transactions.run("read limits", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement(String.format(Locale.ROOT, USE, comparison))) {
                statement.setString(1, key);
                statement.setInt(2, max);
                return Rows.all(
                        statement,
                        row -> new Use(
                                JdbcLimitSource.limit(row),
                                row.getLong(5),
                                row.getLong(6),
                                row.getLong(7),
                                row.getLong(8)));
            }
        });
    }

    /** Removes the limit; false if there is none. */
    public boolean remove(String key) {
        return transactions.run("remove a limit", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("delete from twinbell.run_limit where key = ?")) {
                statement.setString(1, key);
                boolean existed = statement.executeUpdate() > 0;
                notifyListeners(connection);
                return existed;
            }
        });
    }

    private static void notifyListeners(Connection connection) throws SQLException {
        execute(connection, "select pg_notify('twinbell_limit', '')");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }
}
