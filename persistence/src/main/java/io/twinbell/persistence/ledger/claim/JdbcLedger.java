package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.database.CommitBarrier;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.postgresql.PGConnection;

/** Claims slots in PostgreSQL, usually in one statement per batch. */
public final class JdbcLedger implements Ledger {
    private static final String IN_TURN = """
            select distinct task_id from twinbell.execution
            where state = 'PENDING' and in_turn and coalesce(due_at, fire_time) <= twinbell.instant(?) limit 100000""";

    private static final String IN_BATCH = """
            select""" + ClaimColumns.ATTEMPT + """

            from twinbell.execution e""" + ClaimColumns.task("e.task_id") + """
            where e.state in ('CLAIMED', 'RUNNING') and e.epoch = ? and e.batch = ?""";

    private static final String HAND_BACK = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , notified as (select pg_notify('twinbell_ledger', '') from authority)
            update twinbell.execution e
            set state = 'PENDING', in_turn = e.in_turn or e.attempt > 1, epoch = null, node = null, batch = null, claimed_at = null
            from unnest(?::bigint[], ?::bigint[], ?::bigint[]) as u(task_id, fire, attempt)
            where twinbell.same(e.task_id, u.task_id) and twinbell.same(e.fire_time, twinbell.instant(u.fire))
              and e.attempt = u.attempt
              and e.epoch = ? and e.state || '' = 'CLAIMED' and exists (select 1 from notified)""";

    /**
     * Releases the most urgent executions that wait for the limit, so that they can be claimed at once. A step of
     * priority is worth five seconds of waiting, as in the node's order of due tasks.
     */
    private static final String RELEASE_WAITING = "with " + EpochGuard.OF_THE_OWNER + """
            , found as (
              select e.task_id, e.fire_time from twinbell.execution e
                left join twinbell.task_state s on s.task_id = any(array[e.task_id])
              where e.held_by = ? and exists (select 1 from authority)
              order by e.fire_time - coalesce(s.priority, 5) * interval '5 seconds', e.task_id limit ? for update of e skip locked
            )
            update twinbell.execution e set held_by = null from found f
            where twinbell.same(e.task_id, f.task_id) and twinbell.same(e.fire_time, f.fire_time)""";

    /**
     * Settles rows that wait in the ledger and were due when a primary was lost together with its master, because that
     * master may have run them. The option onDoubt of each task decides, as it does for planned slots. Rows that
     * changed after the loss was found are not in doubt: they are known to wait.
     */
    private static final String SETTLE_DOUBTS = "with " + EpochGuard.OF_THE_OWNER + """
            , found as materialized (
              select e.task_id, e.fire_time, e.slots, coalesce(d.content ->> 'onDoubt', d.content ->> 'orphan', 'DROP') as policy
              from (select until_time, changed from twinbell.doubt_window order by found_at desc limit 1) w
                join twinbell.execution e on e.state in ('PENDING', 'RETRYING')
                  and coalesce(e.due_at, e.fire_time) <= w.until_time and e.changed < w.changed
                left join twinbell.task t on t.id = any(array[e.task_id])
                left join twinbell.definition d on d.id = any(array[t.definition_id])
              where exists (select 1 from authority)
              order by e.task_id, e.fire_time limit ? for update of e
            ), named as (
              insert into twinbell.slot_in_doubt (task_id, fire_time, slots, epoch)
              select task_id, fire_time, slots, ? from found
              on conflict (task_id, fire_time) do update set epoch = excluded.epoch, found_at = excluded.found_at
            ), settled as (
              update twinbell.execution e
              set state = case when f.policy = 'RERUN' then e.state else 'DROPPED' end,
                  epoch = case when f.policy = 'RERUN' then e.epoch else ? end,
                  node = case when f.policy = 'RERUN' then e.node else ? end,
                  claimed_at = case when f.policy = 'RERUN' then e.claimed_at else clock_timestamp() end,
                  ended_at = case when f.policy = 'RERUN' then e.ended_at else clock_timestamp() end,
                  due_at = case when f.policy = 'RERUN' then e.due_at end,
                  held_by = case when f.policy = 'RERUN' then e.held_by end,
                  reason = case f.policy when 'RERUN' then ? when 'ASK' then ? else ? end
              from found f
              where twinbell.same(e.task_id, f.task_id) and twinbell.same(e.fire_time, f.fire_time)
            )
            select task_id, twinbell.millis(fire_time), policy = 'RERUN' from found""";

    /** Jumps from one key to the next in the index, however many rows each key has. */
    private static final String WAITED_LIMITS = """
            with recursive held as (
              (select held_by as key from twinbell.execution where held_by is not null order by held_by limit 1)
              union all
              select (select e.held_by from twinbell.execution e where e.held_by > held.key order by e.held_by limit 1)
              from held where held.key is not null
            )
            select key from held where key is not null""";

    /** Skips a row that another transaction holds: that transaction may be about to repair the task. */
    private static final String SET_ASIDE = "with " + EpochGuard.OF_THE_OWNER + """
            , found as materialized (
              select task_id from twinbell.task_state
              where task_id = ? and version = ? and exists (select 1 from authority) for update skip locked
            )
            update twinbell.task_state s set state = 'ERROR', state_reason = ?
            from found f where s.task_id = any(array[f.task_id])""";

    private final DedicatedConnection connection;
    private final PackedSlots batches;
    /** The process id of the server backend that received the last claim. */
    private volatile int claimedBy;

    /** @param batches shared with all objects that process claims made here */
    public JdbcLedger(DedicatedConnection connection, PackedSlots batches) {
        this.connection = connection;
        this.batches = batches;
    }

    @Override
    public ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims) {
        return connection.run(c -> {
            claimedBy = c.unwrap(PGConnection.class).getBackendPID();
            List<DecidedSlot> last = claims.stream().filter(PackedClaim::isLast).toList();
            if (!batches.isWorthwhile(last.size())) {
                return claimInRows(c, epoch, batch, claims);
            }
            ClaimOutcome together = PackedClaim.claim(c, epoch, batch, last, batches);
            List<DecidedSlot> left = without(together, claims);
            return left.isEmpty() || !together.authorised()
                    ? together
                    : together.and(claimInRows(c, epoch, batch, left));
        });
    }

    private static ClaimOutcome claimInRows(Connection c, Epoch epoch, long batch, List<DecidedSlot> claims)
            throws SQLException {
        ClaimOutcome plain =
                claims.stream().allMatch(SimpleClaim::isPlain) ? SimpleClaim.claim(c, epoch, batch, claims) : null;
        if (plain == null) {
            return GeneralClaim.claim(c, epoch, batch, claims);
        }
        List<DecidedSlot> left = without(plain, claims);
        return left.isEmpty() || !plain.authorised() ? plain : plain.and(GeneralClaim.claim(c, epoch, batch, left));
    }

    private static List<DecidedSlot> without(ClaimOutcome claimed, List<DecidedSlot> claims) {
        return claims.stream()
                .filter(claim -> !claimed.advanced().contains(claim.taskId()))
                .toList();
    }

    @Override
    public Set<Long> enteredInBatch(Epoch epoch, long batch, List<DecidedSlot> claims) {
        return connection.run(c -> {
            endClaim(c);
            PackedSlots.unpackBatches(c, epoch.number(), Set.of(batch));
            try (PreparedStatement statement = c.prepareStatement("""
                    select e.task_id from twinbell.execution e, unnest(?::bigint[], ?::bigint[]) as w(task_id, fire)
                    where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, twinbell.instant(w.fire))
                      and e.epoch = ? and e.batch = ?""")) {
                int next = new ColumnArrays<>(statement, 1, claims)
                        .slots(DecidedSlot::slot)
                        .next();
                statement.setLong(next, epoch.number());
                statement.setLong(next + 1, batch);
                return Rows.set(statement, row -> row.getLong(1));
            }
        });
    }

    /**
     * Prepares for looking up a claim that got no answer: ends its backend, then makes a commit of its own. A backend
     * that is ended while its commit waits for a synchronous replica leaves rows that the replica lacks. Those rows are
     * certain once a later commit is confirmed. If this later commit gets no answer either, the next try ends its
     * backend, so blocked backends do not accumulate.
     */
    private void endClaim(Connection c) throws SQLException {
        endBackend(c, claimedBy);
        claimedBy = c.unwrap(PGConnection.class).getBackendPID();
        CommitBarrier.pass(c);
    }

    /**
     * Waits up to 2 s until the backend has ended. Only then is it certain that the backend commits nothing afterwards.
     */
    private static void endBackend(Connection c, int pid) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement("""
                select pg_terminate_backend(pid, 2000) from pg_stat_activity where pid = ? and pid <> pg_backend_pid()
                  and datname = current_database() and application_name = current_setting('application_name')""")) {
            statement.setInt(1, pid);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next() && !row.getBoolean(1)) {
                    throw new SQLException("backend " + pid + " does not end", "57P01");
                }
            }
        }
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, int limit) {
        return connection.run(c -> {
            claimedBy = c.unwrap(PGConnection.class).getBackendPID();
            return WaitingRows.claim(c, epoch, batch, due, limit);
        });
    }

    @Override
    public SettledDoubts settleDoubts(Epoch epoch, int most) {
        return connection.run(c -> settleDoubts(c, epoch, most));
    }

    private static SettledDoubts settleDoubts(Connection c, Epoch epoch, int most) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(SETTLE_DOUBTS)) {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setInt(next++, most);
            statement.setLong(next++, epoch.number());
            statement.setLong(next++, epoch.number());
            statement.setString(next++, epoch.node());
            statement.setString(next++, DoubtReasons.RUN_AGAIN);
            statement.setString(next++, DoubtReasons.ASKED);
            statement.setString(next, DoubtReasons.DROPPED);
            Set<Slot> dropped = new HashSet<>();
            int found = 0;
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found++;
                    if (!rows.getBoolean(3)) {
                        dropped.add(new Slot(rows.getLong(1), rows.getLong(2)));
                    }
                }
            }
            return new SettledDoubts(dropped, found == most);
        }
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, Map<String, Integer> mostByApp) {
        return connection.run(c -> {
            claimedBy = c.unwrap(PGConnection.class).getBackendPID();
            return WaitingRows.claim(c, epoch, batch, due, mostByApp);
        });
    }

    @Override
    public List<String> appsWaiting(DueBounds due, String after, int limit) {
        return connection.run(c -> WaitingRows.apps(c, due, after, limit));
    }

    @Override
    public Set<Long> tasksInTurn(long nowMillis) {
        return connection.run(IN_TURN, statement -> {
            statement.setLong(1, nowMillis);
            return Rows.set(statement, row -> row.getLong(1));
        });
    }

    @Override
    public long nextWaitingMillis(long afterMillis) {
        return connection.run(c -> WaitingRows.next(c, afterMillis));
    }

    @Override
    public List<Attempt> claimedInBatch(Epoch epoch, long batch) {
        return connection.run(c -> {
            endClaim(c);
            try (PreparedStatement statement = c.prepareStatement(IN_BATCH)) {
                statement.setLong(1, epoch.number());
                statement.setLong(2, batch);
                return Rows.all(statement, ClaimColumns::attempt);
            }
        });
    }

    @Override
    public int releaseWaiting(Epoch epoch, String limitKey, int most) {
        return connection.run(RELEASE_WAITING, statement -> {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setString(next, limitKey);
            statement.setInt(next + 1, most);
            return statement.executeUpdate();
        });
    }

    @Override
    public Set<String> waitedLimits() {
        return connection.run(WAITED_LIMITS, statement -> Rows.set(statement, row -> row.getString(1)));
    }

    @Override
    public boolean markUnreadable(Epoch epoch, long taskId, long version, String reason) {
        return connection.run(SET_ASIDE, statement -> {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setLong(next, taskId);
            statement.setLong(next + 1, version);
            statement.setString(next + 2, reason);
            return statement.executeUpdate() == 1;
        });
    }

    @Override
    public boolean handBack(Epoch epoch, List<Attempt> unstarted) {
        return connection.run(c -> {
            batches.unpack(c, unstarted.stream().map(Attempt::slot).toList());
            try (PreparedStatement statement = c.prepareStatement(HAND_BACK)) {
                int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), unstarted)
                        .slots(Attempt::slot)
                        .longs(Attempt::attempt)
                        .next();
                statement.setLong(next, epoch.number());
                return statement.executeUpdate() > 0 || unstarted.isEmpty();
            }
        });
    }
}
