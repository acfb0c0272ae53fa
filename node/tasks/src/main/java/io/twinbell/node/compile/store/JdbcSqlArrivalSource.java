package io.twinbell.node.compile.store;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.ScanWindow;
import io.twinbell.persistence.database.SqlWork;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskInsert;
import io.twinbell.persistence.task.TaskRow;
import io.twinbell.persistence.task.TaskWrites;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads tasks that applications changed by SQL functions, which record each change in {@code twinbell.arrival}. */
public final class JdbcSqlArrivalSource implements SqlArrivalSource {
    /**
     * Several pages per call: many tasks arrive at once, and the caller's other work in each step takes longer than a
     * page.
     */
    private static final int PAGES = 5;

    private static final Logger LOG = LoggerFactory.getLogger(JdbcSqlArrivalSource.class);
    private static final int MOST_REASON = 1000;

    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();
    /** Bounds a pass that receives rows one by one: each failure may last as long as a statement may. */
    private static final long LONGEST_PASS_NANOS = Duration.ofSeconds(3).toNanos();

    private static final int TRIES = 3;
    private static final int MOST_FAILING = 10_000;
    private static final int LINES_A_MINUTE = 10;

    private static final String SET_ASIDE = """
            with failed as (select ?::text as reason, ?::bigint as id),
            forgotten as (delete from twinbell.arrival a using failed f where a.task_id = f.id)
            update twinbell.task_state s set state = 'ERROR', state_reason = f.reason, next_fire_time = null,
              version = twinbell.next_version(s.version)
            from failed f where s.task_id = f.id""";
    private static final String FORGET_REMOVAL = """
            with failed as (select ?::text as reason, ?::bigint as id)
            delete from twinbell.removal r using failed f where r.id = f.id""";
    private static final String REMOVALS =
            "select id from twinbell.removal where id <> all(?::bigint[]) order by id limit ?";

    private static final String NEXT = """
            select task_id from twinbell.arrival
            where task_id >= ? and task_id <= ? and task_id <> all(?::bigint[]) order by task_id limit ?""";

    /** How long a search for tasks that arrived late may keep the settler from its other work. */
    private static final Duration LONGEST_SEARCH = Duration.ofMillis(20);

    /**
     * Locks the arrival too. So a replacement that was committed after the statement began is either seen now, or left
     * to the next pass. The condition names the ids for each table, so that the planner reads no table completely, even
     * if it was small when the statement was planned.
     */
    private static final String LOCK = """
            select t.id from twinbell.task t join twinbell.task_state s on s.task_id = t.id
              join twinbell.arrival a on a.task_id = t.id
            where t.id = any(?) and s.task_id = any(?) and a.task_id = any(?)
            order by t.id for update skip locked""";

    /** Of locked tasks. */
    private static final String ARRIVED =
            JdbcTaskStore.SELECT + ", twinbell.millis(a.at) as at_millis, a.replacement" + JdbcTaskStore.FROM + """
                    \sjoin twinbell.arrival a on a.task_id = t.id
                    where t.id = any(?) and s.task_id = any(?) and a.task_id = any(?) order by t.id""";

    /** The rest of the transaction stores these replacements: what their authors may not use, by app and name. */
    private static final String REPLACED = """
            select set_config('twinbell.replaced', coalesce(jsonb_object_agg(
              jsonb_build_array(replacement -> 'app', replacement -> 'name')::text, lacking), '{}')::text, true)
            from twinbell.arrival where task_id = any(?::bigint[]) and lacking is not null""";

    private static final String REMOVED = """
            with taken as (
              delete from twinbell.removal where id in (
                select id from twinbell.removal where id between ? and ? and id <> all(?::bigint[])
                order by id limit ? for update skip locked)
              returning *
            )
            select task_id, 1, app, name, null, '{}'::text[], handler_type, null, definition, state, state_reason,
                   twinbell.millis(next_fire_time), twinbell.millis(previous_fire_time), twinbell.millis(removed_at),
                   twinbell.millis(removed_at) as removed_millis, paused_by, twinbell.millis(paused_until),
                   0, false, twinbell.millis(arrived_at) as arrived_millis
            from taken order by id""";

    private final DedicatedConnection connection;
    private final Ticker ticker;
    private final FailingRows failingArrivals = new FailingRows();
    private final FailingRows failingRemovals = new FailingRows();
    private long minuteNanos;
    private int linesThisMinute;
    /**
     * Searches for tasks whose transaction was committed after those of later tasks. Such a search passes over all
     * arrivals that vacuum could not remove.
     */
    private final ScanWindow belated;

    private long examinedId;

    /**
     * Rows that failed alone for a reason that may pass. After a few tries they are skipped for a minute. Otherwise they
     * would make each batch fail, and keep the rows behind them waiting.
     */
    private final class FailingRows {
        private final Map<Long, RowFailures> failures = new HashMap<>();

        private record RowFailures(int count, long lastNanos) {}

        void add(long id) {
            if (failures.size() >= MOST_FAILING) {
                failures.clear();
            }
            RowFailures before = failures.get(id);
            failures.put(id, new RowFailures(before == null ? 1 : before.count() + 1, ticker.nanos()));
        }

        Array skipped(Connection c) throws SQLException {
            failures.values().removeIf(one -> ticker.nanos() - one.lastNanos() >= PAUSE_NANOS);
            return c.createArrayOf(
                    "bigint",
                    failures.entrySet().stream()
                            .filter(one -> one.getValue().count() >= TRIES)
                            .map(Map.Entry::getKey)
                            .toArray());
        }
    }

    public JdbcSqlArrivalSource(DedicatedConnection connection) {
        this(connection, Ticker.SYSTEM);
    }

    /** @param ticker measures how long searches take, and how long failing rows are skipped */
    public JdbcSqlArrivalSource(DedicatedConnection connection, Ticker ticker) {
        this.connection = connection;
        this.ticker = ticker;
        belated = new ScanWindow(ticker, LONGEST_SEARCH);
    }

    @Override
    public int receive(int limit, ArrivalDecider arrivalDecider) {
        int received = 0;
        Page page;
        try {
            boolean isPart = belated.isDivided();
            List<Long> first = connection.run(c -> search(c, limit));
            if (isPart) {
                received = receiveBelated(first, limit, arrivalDecider);
                page = new Page(limit, examinedId);
            } else {
                page = new Page(limit, first.isEmpty() ? examinedId : first.get(0) - 1);
            }
            for (int i = 0; i < PAGES && page.received() >= limit; i++) {
                page = receivePage(limit, page.lastId(), arrivalDecider);
            }
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            warn("a batch of arrivals cannot be received, receiving them one by one: {}", e.getMessage());
            return receiveEach(limit, arrivalDecider);
        }
        examinedId = Math.max(examinedId, page.lastId());
        return Math.max(received, page.received());
    }

    /** Finds the first arrivals; once the search is divided, the first of a part, among those examined before. */
    private List<Long> search(Connection c, int limit) throws SQLException {
        boolean isDivided = belated.isDivided();
        return belated.run(
                () -> new ScanWindow.Range(0, examinedId),
                (from, until) -> next(c, Math.max(from, 0), isDivided ? Math.min(until, examinedId) : until, limit),
                ids -> !ids.isEmpty());
    }

    private int receiveBelated(List<Long> ids, int limit, ArrivalDecider arrivalDecider) {
        if (ids.size() == limit) {
            belated.continueAfter(ids.get(limit - 1));
        }
        return ids.isEmpty()
                ? 0
                : connection.transaction(c -> {
                    List<Arrival> arrived = arrived(c, ids);
                    store(c, arrived, List.of(), arrivalDecider);
                    return arrived.size();
                });
    }

    /**
     * Receives tasks one by one, so that a task that cannot be stored does not stop the others: it gets state ERROR,
     * like a task that cannot be read. A task that meets a lock or an internal error of the server is tried again.
     */
    private int receiveEach(int limit, ArrivalDecider arrivalDecider) {
        List<Long> ids = connection.run(c -> next(c, 0, Long.MAX_VALUE, limit));
        List<Long> removals = connection.run(c -> removals(c, limit));
        long began = ticker.nanos();
        for (int i = 0; i < ids.size() && ticker.nanos() - began < LONGEST_PASS_NANOS; i++) {
            long id = ids.get(i);
            alone("arrived task " + id, SET_ASIDE, failingArrivals, id, c -> {
                store(c, arrived(c, List.of(id)), List.of(), arrivalDecider);
                return null;
            });
        }
        for (int i = 0; i < removals.size() && ticker.nanos() - began < LONGEST_PASS_NANOS; i++) {
            long id = removals.get(i);
            alone("removal " + id, FORGET_REMOVAL, failingRemovals, id, c -> {
                store(c, List.of(), removed(c, id, id, 1), arrivalDecider);
                return null;
            });
        }
        return ids.size() + removals.size();
    }

    private void alone(String what, String otherwise, FailingRows failing, long id, SqlWork<Void> work) {
        try {
            receiveOrSetAside(what, otherwise, id, work);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            failing.add(id);
            warn("{} cannot be received and is tried again: {}", what, e.getMessage());
        }
    }

    private void receiveOrSetAside(String what, String otherwise, long id, SqlWork<Void> work) {
        try {
            connection.transaction(work);
        } catch (DatabaseUnavailableException e) {
            if (e.isTransient()) {
                // A lock or a slow statement says nothing about the row.
                throw e;
            }
            setAside(otherwise, id, e.getMessage());
            LOG.error("{} cannot be received and is set aside", what, e);
        }
    }

    /** Thousands of rows may fail, and again each minute. */
    private void warn(String line, Object... values) {
        if (ticker.nanos() - minuteNanos >= PAUSE_NANOS) {
            minuteNanos = ticker.nanos();
            linesThisMinute = 0;
        }
        if (++linesThisMinute <= LINES_A_MINUTE) {
            LOG.warn(line, values);
        }
    }

    private void setAside(String sql, long id, String why) {
        connection.transaction(c -> {
            try (PreparedStatement statement = c.prepareStatement(sql)) {
                statement.setString(1, why.length() > MOST_REASON ? why.substring(0, MOST_REASON) : why);
                statement.setLong(2, id);
                return statement.executeUpdate();
            }
        });
    }

    /**
     * @param lastId the last id that was examined. Ids before it are either received, locked by another
     *     transaction, or deleted but still in the index
     */
    private record Page(int received, long lastId) {}

    private Page receivePage(int limit, long afterId, ArrivalDecider arrivalDecider) {
        return connection.transaction(c -> {
            List<Arrival> arrived = new ArrayList<>();
            long lastId = arrived(c, afterId, limit, arrived);
            List<Removal> removed = removed(c, Long.MIN_VALUE, Long.MAX_VALUE, limit);
            store(c, arrived, removed, arrivalDecider);
            return new Page(arrived.size() + removed.size(), lastId);
        });
    }

    private static void store(Connection c, List<Arrival> arrived, List<Removal> removed, ArrivalDecider arrivalDecider)
            throws SQLException {
        TaskWrites writes = new TaskWrites();
        arrived.forEach(arrival -> writes.add(arrival.task(), arrivalDecider.arrived(arrival), arrival.atMillis()));
        removed.forEach(removal -> writes.add(
                removal.task(), new TaskChange.Remove(arrivalDecider.removed(removal)), removal.removedMillis()));
        ofThese(c, arrived, REPLACED);
        writes.performExempt(c);
        ofThese(c, arrived, TaskInsert.HAS_FIRED_BEFORE);
        ofThese(c, arrived, "delete from twinbell.arrival where task_id = any(?::bigint[])");
    }

    /**
     * Reads arrivals up to the limit; locked ones do not count towards it, so they do not delay the others.
     *
     * @return the last id that was examined
     */
    private long arrived(Connection c, long afterId, int limit, List<Arrival> to) throws SQLException {
        long lastId = afterId;
        List<Long> ids = next(c, lastId + 1, Long.MAX_VALUE, limit);
        while (!ids.isEmpty()) {
            lastId = ids.get(ids.size() - 1);
            to.addAll(arrived(c, ids));
            int room = limit - to.size();
            ids = room == 0 ? List.of() : next(c, lastId + 1, Long.MAX_VALUE, room);
        }
        return lastId;
    }

    /** Ids from {@code fromId} to {@code untilId}, both included. */
    private List<Long> next(Connection c, long fromId, long untilId, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(NEXT)) {
            statement.setLong(1, fromId);
            statement.setLong(2, untilId);
            statement.setArray(3, failingArrivals.skipped(c));
            statement.setInt(4, limit);
            return ids(statement);
        }
    }

    private List<Long> removals(Connection c, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(REMOVALS)) {
            statement.setArray(1, failingRemovals.skipped(c));
            statement.setInt(2, limit);
            return ids(statement);
        }
    }

    private static List<Long> ids(PreparedStatement statement) throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }

    private static List<Arrival> arrived(Connection c, List<Long> ids) throws SQLException {
        List<Long> locked;
        try (PreparedStatement statement = ofThese(c, LOCK, ids)) {
            locked = ids(statement);
        }
        try (PreparedStatement statement = ofThese(c, ARRIVED, locked)) {
            return Rows.all(
                    statement,
                    row -> new Arrival(TaskRow.read(row), row.getLong("at_millis"), row.getString("replacement")));
        }
    }

    private static PreparedStatement ofThese(Connection c, String sql, List<Long> ids) throws SQLException {
        PreparedStatement statement = c.prepareStatement(sql);
        for (int parameter = 1; parameter <= 3; parameter++) {
            statement.setArray(parameter, c.createArrayOf("bigint", ids.toArray()));
        }
        return statement;
    }

    private List<Removal> removed(Connection c, long fromId, long toId, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(REMOVED)) {
            statement.setLong(1, fromId);
            statement.setLong(2, toId);
            statement.setArray(3, failingRemovals.skipped(c));
            statement.setInt(4, limit);
            List<Removal> removed = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    removed.add(new Removal(
                            TaskRow.read(rows),
                            TaskRow.optional(rows, rows.findColumn("arrived_millis")),
                            rows.getLong("removed_millis")));
                }
            }
            return removed;
        }
    }

    private static void ofThese(Connection c, List<Arrival> arrived, String sql) throws SQLException {
        if (arrived.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            statement.setArray(
                    1,
                    c.createArrayOf(
                            "bigint",
                            arrived.stream().map(arrival -> arrival.task().id()).toArray()));
            statement.execute();
        }
    }
}
