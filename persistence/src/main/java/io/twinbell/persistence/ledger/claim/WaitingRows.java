package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.database.CommitBarrier;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Claims rows that wait in the ledger: runs by hand, chains, retries, and executions that were handed back. Rows are
 * claimed in the order of their times, or a number of each app if not all can be claimed.
 */
final class WaitingRows {
    private static final String WAITS = "p.state in ('PENDING', 'RETRYING') and p.held_by is null";

    /**
     * Parameters: fire until, now, now. {@code = any(array[…])} keeps PostgreSQL 18 from hashing the whole table: a
     * plan made while the table is empty would stay in use when the table is large.
     */
    private static final String CLAIMABLE = WAITS + " and " + """
                coalesce(p.due_at, p.fire_time) <= twinbell.instant(?)
                and (p.due_at is null or p.due_at <= twinbell.instant(?)) and exists (select 1 from authority)
                and not (p.state = 'PENDING' and p.in_turn
                  and not exists (select 1 from twinbell.task t join twinbell.definition d on d.id = any(array[t.definition_id])
                                  where t.id = any(array[p.task_id]) and d.content ->> 'overlap' = 'ALLOW')
                  and (exists (select 1 from twinbell.execution u where u.task_id = p.task_id
                      and (u.state = 'RETRYING' or u.state in ('CLAIMED', 'RUNNING') and u.fire_time <= twinbell.instant(?)))
                    or exists (select 1 from twinbell.execution b where b.task_id = p.task_id
                      and b.state = 'PENDING' and b.in_turn and b.fire_time < p.fire_time)
                    or exists (select 1 from twinbell.claim_batch b where p.task_id = any(b.task_ids)
                      and not exists (select 1 from twinbell.execution u where twinbell.same(u.task_id, p.task_id)
                        and twinbell.same(u.fire_time, twinbell.instant(b.fire_times[array_position(b.task_ids, p.task_id)]))))))
                and not ((p.queued or p.state = 'RETRYING') and (exists (
                  select 1 from twinbell.task_state s where s.task_id = any(array[p.task_id]) and s.state = 'PAUSED')
                  or (select exists (select 1 from twinbell.standing_pause w where w.resumed_at is null)) and exists (
                    select 1 from twinbell.task t join twinbell.definition d on d.id = any(array[t.definition_id])
                    where t.id = any(array[p.task_id]) and twinbell.standing_pause_of(t.app, d) is not null)))
              order by coalesce(p.due_at, p.fire_time), p.task_id limit""";

    private static final String FOUND_ARE_OURS = """

            update twinbell.execution e
            set attempt = case when e.state = 'RETRYING' then least(e.attempt, 2147483646) + 1 else e.attempt end,
                state = 'CLAIMED', epoch = ?, node = ?, batch = ?, claimed_at = clock_timestamp(), definition_id = t.definition_id,
                started_at = null, ended_at = null, output = null, error = null, error_code = null, due_at = null
            from found f""" + ClaimColumns.task("f.task_id") + """
            where twinbell.same(e.task_id, f.task_id) and twinbell.same(e.fire_time, f.fire_time)
            returning""" + ClaimColumns.ATTEMPT;

    private static final String CLAIM =
            "with " + EpochGuard.OF_THE_OWNER + """
                    , found as (select p.task_id, p.fire_time from twinbell.execution p where
                    """ + CLAIMABLE + " ? for update skip locked)" + FOUND_ARE_OURS;

    private static final String CLAIM_OF_APPS =
            "with " + EpochGuard.OF_THE_OWNER + """
                    , found as (
                      select w.task_id, w.fire_time from unnest(?::text[], ?::bigint[]) as a(app, most)
                      cross join lateral (select p.task_id, p.fire_time from twinbell.execution p where p.app = a.app
                        and\s""" + CLAIMABLE + " a.most for update skip locked) w)" + FOUND_ARE_OURS;

    /** Jumps from one app to the next in the index, however many rows each app has. */
    private static final String APPS = String.format(Locale.ROOT, """
            with recursive waiting as (
              (select p.app from twinbell.execution p where %1$s and p.app > ? order by p.app limit 1)
              union all
              select (select p.app from twinbell.execution p where %1$s and p.app > w.app order by p.app limit 1)
              from waiting w where w.app is not null)
            select w.app from waiting w cross join lateral (
              select from twinbell.execution p
              where %1$s and p.app = w.app and coalesce(p.due_at, p.fire_time) <= twinbell.instant(?) limit 1) due
            limit ?""", WAITS);

    private static final String NEXT = """
            select twinbell.millis(min(coalesce(p.due_at, p.fire_time))) from twinbell.execution p
            where\s""" + WAITS + " and coalesce(p.due_at, p.fire_time) > twinbell.instant(?)";

    private WaitingRows() {}

    static List<Attempt> claim(Connection c, Epoch epoch, long batch, Ledger.DueBounds due, int limit)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(CLAIM)) {
            int next = bind(statement, EpochGuard.bind(statement, 1, epoch), due);
            statement.setInt(next++, limit);
            return claim(statement, next, epoch, batch);
        }
    }

    static List<Attempt> claim(
            Connection c, Epoch epoch, long batch, Ledger.DueBounds due, Map<String, Integer> mostByApp)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(CLAIM_OF_APPS)) {
            int next = EpochGuard.bind(statement, 1, epoch);
            List<Map.Entry<String, Integer>> apps = List.copyOf(mostByApp.entrySet());
            next = new ColumnArrays<>(statement, next, apps)
                    .texts(Map.Entry::getKey)
                    .longs(Map.Entry::getValue)
                    .next();
            return claim(statement, bind(statement, next, due), epoch, batch);
        }
    }

    private static int bind(PreparedStatement statement, int index, Ledger.DueBounds due) throws SQLException {
        statement.setLong(index, due.fireUntilMillis());
        statement.setLong(index + 1, due.nowMillis());
        statement.setLong(index + 2, due.nowMillis());
        return index + 3;
    }

    private static List<Attempt> claim(PreparedStatement statement, int index, Epoch epoch, long batch)
            throws SQLException {
        ClaimColumns.bind(statement, index, epoch, batch);
        List<Attempt> claimed = Rows.all(statement, ClaimColumns::attempt);
        CommitBarrier.requireConfirmed(statement);
        return claimed;
    }

    static List<String> apps(Connection c, Ledger.DueBounds due, String after, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(APPS)) {
            statement.setString(1, after);
            statement.setLong(2, due.fireUntilMillis());
            statement.setInt(3, limit);
            return Rows.all(statement, row -> row.getString(1));
        }
    }

    static long next(Connection c, long afterMillis) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(NEXT)) {
            statement.setLong(1, afterMillis);
            return Rows.only(statement, row -> {
                long next = row.getLong(1);
                return row.wasNull() ? DecidedSlot.NONE : next;
            });
        }
    }
}
