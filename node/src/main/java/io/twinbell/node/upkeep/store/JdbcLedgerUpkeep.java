package io.twinbell.node.upkeep.store;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.TaskRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates and drops partitions, and deletes old rows, in PostgreSQL. */
public final class JdbcLedgerUpkeep implements LedgerUpkeep {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcLedgerUpkeep.class);

    private static final String OLD_DAYS = """
            select c.relname, c.relispartition, to_date(right(c.relname, 8), 'YYYYMMDD')::text,
                   twinbell.millis((to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC')
            from pg_class c
            where c.relnamespace = 'twinbell'::regnamespace and c.relkind = 'r' and c.relname ~ '^execution_[0-9]{8}$'
              and to_date(right(c.relname, 8), 'YYYYMMDD') < (clock_timestamp() at time zone 'UTC')::date - ?
            order by c.relname""";

    private static final String UNFINISHED = "state in ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING')";

    /** A slot of an open batch counts as claimed even if it has no row. */
    private static final String IN_OPEN_BATCH =
            "exists (select 1 from twinbell.claim_batch b where b.epoch = e.epoch and b.batch = e.batch)";

    /** Rows that had no partition of their day when they were inserted. */
    private static final String DELETE_WITHOUT_DAY = String.format(Locale.ROOT, """
            delete from twinbell.execution_default where ctid = any (array(
              select ctid from twinbell.execution_default e
              where fire_time < statement_timestamp() - ? * interval '1 day' and not %s and not %s limit ?))""", UNFINISHED, IN_OPEN_BATCH);

    private static final List<String> BESIDES = List.of(
            "role_history where at",
            "firing_pause where resumed_at",
            "removed_task where removed_at",
            "slot_in_doubt where found_at",
            "doubt_window where found_at",
            "lost_history where found_at",
            "chain_runs where changed_at");

    /**
     * An epoch ends when the next one is opened. Openings are kept twice as long as the ledger: an old day with an
     * unfinished execution is kept, and verification needs the epochs of that day.
     */
    private static final String DELETE_OPENINGS = """
            delete from twinbell.epoch_opening where epoch = any (array(
              select o.epoch from twinbell.epoch_opening o
              where exists (select from twinbell.epoch_opening next
                            where next.epoch > o.epoch and next.opened_at < statement_timestamp() - ? * interval '2 days')
              order by o.epoch limit ?))""";

    private static final String OLDEST = """
            select task_id, twinbell.millis(fire_time), state from twinbell.execution
            where fire_time < twinbell.instant(?) and (fire_time, task_id) > (twinbell.instant(?), ?)
            order by fire_time, task_id limit ?""";

    /** The bounds on the fire time let the planner select the partitions. */
    private static final String DELETE = String.format(Locale.ROOT, """
            delete from twinbell.execution e using unnest(?::bigint[], ?::bigint[]) as old(task_id, fire)
            where e.task_id = old.task_id and e.fire_time = twinbell.instant(old.fire) and e.state = any (?)
              and e.fire_time >= twinbell.instant(?) and e.fire_time <= twinbell.instant(?) and not %s""", IN_OPEN_BATCH);

    private static final String REMEMBER = """
            insert into twinbell.forgotten (what, until_fire_time) values (?, twinbell.instant(?))
            on conflict (what) do update
            set until_fire_time = greatest(forgotten.until_fire_time, excluded.until_fire_time)""";

    /** A row of the ledger may be up to two days older than the number of days says. */
    private static final String REMOVE_DEFINITIONS =
            "select twinbell.remove_definitions(?, ?, (? + 2) * interval '1 day')";

    /**
     * Finds tasks by age, and locks and removes them in id order. Both rows of a task are locked at once, as edits do.
     */
    private static final String REMOVE_FINISHED = """
            with old as (
              select s.task_id from twinbell.task_state s
              where s.state = 'FINISHED' and s.finished_at < statement_timestamp() - ? * interval '1 millisecond'
                and not exists (select 1 from twinbell.execution e where e.task_id = s.task_id
                  and e.state in ('CLAIMED', 'RUNNING', 'RETRYING') offset 0)
                and not exists (
                  select 1 from twinbell.execution e where e.task_id = s.task_id and e.state = 'PENDING' offset 0)
                and not exists (select 1 from twinbell.claim_batch b where s.task_id = any(b.task_ids))
              order by s.finished_at limit ?
            ), locked as materialized (
              select t.id from twinbell.task t join twinbell.task_state s on s.task_id = t.id
              where t.id in (select task_id from old) and s.state = 'FINISHED'
              order by t.id for update skip locked
            )
            delete from twinbell.task t using locked l where t.id = l.id""";

    private final DedicatedConnection connection;

    public JdbcLedgerUpkeep(DedicatedConnection connection) {
        this.connection = connection;
    }

    @FunctionalInterface
    private interface Guarded<T> {
        T with(Connection c) throws SQLException;
    }

    /** Runs the work if the epoch is current; returns null otherwise. */
    private <T> T guarded(Epoch epoch, Guarded<T> work) {
        return connection.transaction(c -> {
            execute(c, "set local lock_timeout = " + LOCK_MILLIS);
            return EpochGuard.isOwner(c, epoch) ? work.with(c) : null;
        });
    }

    @Override
    public void makePartitions(Epoch epoch) {
        guarded(epoch, c -> {
            execute(c, "select twinbell.ensure_partitions()");
            return true;
        });
    }

    /** @param date such as 2026-01-31 */
    private record Day(String partition, boolean isAttached, String date, long endMillis) {}

    @Override
    public List<String> dropDays(Epoch epoch, int keepDays) {
        List<String> dropped = new ArrayList<>();
        DatabaseUnavailableException first = null;
        for (Day day : connection.run(c -> oldDays(c, keepDays))) {
            try {
                if (dropDay(epoch, day)) {
                    dropped.add(day.partition());
                }
            } catch (DatabaseUnavailableException e) {
                // A lock may be one on the whole ledger. To wait for it for every day would delay claims for long.
                if (e.isOutage() || e.isTransient()) {
                    throw e;
                }
                LOG.warn("ledger partition {} cannot be dropped: {}", day.partition(), e.getMessage());
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
        return dropped;
    }

    private boolean dropDay(Epoch epoch, Day day) {
        if (day.isAttached() && !detach(epoch, day)) {
            return false;
        }
        // A separate transaction: detaching blocks all other users of the ledger, and freeing the files of a day may
        // take long.
        Boolean isDropped = guarded(epoch, c -> {
            execute(c, "select twinbell.drop_ledger_day('" + day.date() + "')");
            return true;
        });
        return Boolean.TRUE.equals(isDropped);
    }

    private boolean detach(Epoch epoch, Day day) {
        Boolean detached = guarded(epoch, c -> {
            if (!isDetached(c, day)) {
                LOG.warn("the ledger keeps {} because it contains unfinished executions", day.partition());
                return false;
            }
            remember(c, "DAYS", day.endMillis());
            return true;
        });
        return Boolean.TRUE.equals(detached);
    }

    private static boolean isDetached(Connection c, Day day) throws SQLException {
        try (Statement statement = c.createStatement();
                ResultSet row = statement.executeQuery("select twinbell.detach_ledger_day('" + day.date() + "')")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static List<Day> oldDays(Connection c, int keepDays) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(OLD_DAYS)) {
            statement.setInt(1, keepDays);
            List<Day> days = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    days.add(new Day(rows.getString(1), rows.getBoolean(2), rows.getString(3), rows.getLong(4)));
                }
            }
            return days;
        }
    }

    @Override
    public boolean deleteScattered(Epoch epoch, int keepDays, int limit) {
        Boolean isFull = guarded(epoch, c -> {
            boolean full = deleteOld(c, DELETE_WITHOUT_DAY, keepDays, limit) == limit;
            full |= deleteOld(c, DELETE_OPENINGS, keepDays, limit) == limit;
            for (String besides : BESIDES) {
                String table = besides.substring(0, besides.indexOf(' '));
                String sql = String.format(Locale.ROOT, """
                        delete from twinbell.%s where ctid = any (array(
                          select ctid from twinbell.%s < statement_timestamp() - ? * interval '1 day'
                          limit ?))""", table, besides);
                full |= deleteOld(c, sql, keepDays, limit) == limit;
            }
            return full;
        });
        return Boolean.TRUE.equals(isFull);
    }

    @Override
    public OptionalLong removeDefinitions(Epoch epoch, int keepDays, long afterId, int limit) {
        OptionalLong examined = guarded(epoch, c -> {
            try (PreparedStatement statement = c.prepareStatement(REMOVE_DEFINITIONS)) {
                statement.setLong(1, afterId);
                statement.setInt(2, limit);
                statement.setInt(3, keepDays);
                return Rows.only(statement, row -> TaskRow.optional(row, 1));
            }
        });
        return examined == null ? OptionalLong.empty() : examined;
    }

    @Override
    public int removeFinished(Epoch epoch, long olderThanMillis, int limit) {
        Integer removed = guarded(epoch, c -> {
            try (PreparedStatement statement = c.prepareStatement(REMOVE_FINISHED)) {
                statement.setLong(1, olderThanMillis);
                statement.setInt(2, limit);
                return statement.executeUpdate();
            }
        });
        return removed == null ? 0 : removed;
    }

    private static int deleteOld(Connection c, String sql, int keepDays, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            statement.setInt(1, keepDays);
            statement.setInt(2, limit);
            return statement.executeUpdate();
        }
    }

    private record Row(Slot slot, String state) {}

    @Override
    public DeletedRows delete(
            Epoch epoch, LedgerUpkeep.RetentionClass retentionClass, long beforeMillis, Slot after, int limit) {
        DeletedRows deleted = guarded(epoch, c -> {
            List<Row> oldest = oldest(c, beforeMillis, after, limit);
            List<String> states =
                    retentionClass.states().stream().map(ExecutionState::name).toList();
            List<Slot> doomed = oldest.stream()
                    .filter(row -> states.contains(row.state()))
                    .map(Row::slot)
                    .toList();
            int count = doomed.isEmpty() ? 0 : delete(c, doomed, states);
            if (count > 0) {
                remember(c, retentionClass.name(), beforeMillis);
            }
            return new DeletedRows(
                    count,
                    oldest.size() < limit ? null : oldest.get(oldest.size() - 1).slot());
        });
        return deleted == null ? new DeletedRows(0, null) : deleted;
    }

    private static List<Row> oldest(Connection c, long beforeMillis, Slot after, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(OLDEST)) {
            statement.setLong(1, beforeMillis);
            statement.setLong(2, after == null ? -1 : after.fireTimeMillis());
            statement.setLong(3, after == null ? 0 : after.taskId());
            statement.setInt(4, limit);
            List<Row> oldest = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    oldest.add(new Row(new Slot(rows.getLong(1), rows.getLong(2)), rows.getString(3)));
                }
            }
            return oldest;
        }
    }

    private static int delete(Connection c, List<Slot> doomed, List<String> states) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(DELETE)) {
            new ColumnArrays<>(statement, 1, doomed).slots(slot -> slot);
            statement.setArray(3, c.createArrayOf("text", states.toArray()));
            statement.setLong(4, doomed.get(0).fireTimeMillis());
            statement.setLong(5, doomed.get(doomed.size() - 1).fireTimeMillis());
            return statement.executeUpdate();
        }
    }

    private static void remember(Connection c, String what, long untilMillis) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(REMEMBER)) {
            statement.setString(1, what);
            statement.setLong(2, untilMillis);
            statement.executeUpdate();
        }
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (Statement statement = c.createStatement()) {
            statement.execute(sql);
        }
    }
}
