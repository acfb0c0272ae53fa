package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.CommitBarrier;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.ScanWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.FailureStreaks;
import io.twinbell.persistence.ledger.Reschedule;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Settles orphans and enters skipped slots in PostgreSQL. */
public final class JdbcRecoveryStore implements RecoveryStore {
    /** How long a scan may keep the settler from its other work, once it has to be divided. */
    static final Duration LONGEST_SCAN = Duration.ofMillis(100);

    /**
     * Sorts the result of a subquery with offset 0: otherwise the planner may read the whole ledger in the order of
     * another index.
     */
    private static final String UNFINISHED =
            """
            select""" + ClaimColumns.ATTEMPT + """

            from (select * from twinbell.execution
                  where state in ('CLAIMED', 'RUNNING') and task_id >= ? and task_id <= ? offset 0) e""" + ClaimColumns.task("e.task_id") + " where ";

    /** Excludes parked attempts from settlement, because an answer from outside decides their outcome. */
    private static final String NONE_AWAITED = """
            not exists (select 1 from twinbell.parked p where twinbell.same(p.task_id, e.task_id)
              and twinbell.same(p.fire_time, e.fire_time) and p.attempt = e.attempt
              and p.over_at is null and (p.is_out or p.answer is not null))""";

    /**
     * Locks the parked rows until the settlement is committed, so that an answer is either found here or finds the
     * attempt settled. An accepted attempt of an earlier epoch is adopted and not settled; one of this epoch is settled
     * only on request.
     */
    private static final String AWAITED = """
            select p.task_id, twinbell.millis(p.fire_time), p.answer is not null or p.is_out and g.epoch < ?
            from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) as g(task_id, fire, attempt, epoch)
              join twinbell.parked p on twinbell.same(p.task_id, g.task_id)
                and twinbell.same(p.fire_time, twinbell.instant(g.fire)) and p.attempt = g.attempt
            where p.over_at is null
            for update of p""";

    private static final String ORPHANS = UNFINISHED + NONE_AWAITED + """
             and e.epoch < ? and e.epoch not in (select d.epoch from twinbell.epoch p, twinbell.drains(p) d)
            order by e.epoch, e.fire_time, e.task_id limit ?""";

    private static final String OWN = UNFINISHED + """
             e.epoch = ? and e.claimed_at < statement_timestamp() - ? * interval '1 millisecond'
            order by e.epoch, e.fire_time, e.task_id limit ?""";

    /** Unpacks batches with slots that have been unrecorded for this long: perhaps no thread works on them any more. */
    private static final String UNPACK_OLD = """
            select twinbell.spread_batches(of_epoch => epoch, numbers => array_agg(batch)) from twinbell.claim_batch
            where epoch = ? and claimed_at < statement_timestamp() - ? * interval '1 millisecond' group by epoch""";

    /**
     * Only the owner of the epoch unpacks batches, 20 per call. A standby calls this too, to know the orphans when it
     * is promoted, but changes nothing.
     */
    private static final String UNPACK_ORPHANS = """
            select twinbell.spread_batches(of_epoch => left_behind.epoch, most => 20)
            from (select distinct b.epoch from twinbell.claim_batch b join twinbell.epoch p
                    on p.epoch = ? and p.owner_token = ? and b.epoch < p.epoch
                    and b.epoch not in (select d.epoch from twinbell.drains(p) d)) as left_behind""";

    private static final String UNPACK_RELEASED = """
            select twinbell.spread_batches(of_tasks => array_agg(task_id)) from twinbell.release_request
            where exists (select 1 from twinbell.claim_batch) having count(*) > 0""";

    /** If a person or a program requested the run, the reason begins with the note of the request. */
    private static final String SETTLE = "with " + EpochGuard.OF_THE_OWNER + """
            , settled as (
              select task_id, twinbell.instant(fire) as fire_time, attempt, epoch, new_attempt, state, reason
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])
                as s(task_id, fire, attempt, epoch, new_attempt, state, reason)
            )
            update twinbell.execution e
            set state = s.state,
                attempts = case when s.new_attempt <= e.attempt then e.attempts
                  else twinbell.with_attempt(e.attempts, e.attempt, 'DROPPED', e.node, e.epoch, e.started_at, null,
                                             null, null, s.reason) end,
                attempt = greatest(s.new_attempt, e.attempt),
                epoch = case when s.new_attempt > 0 then ? else e.epoch end,
                node = case when s.new_attempt > 0 then ? else e.node end,
                claimed_at = case when s.new_attempt > 0 then clock_timestamp() else e.claimed_at end,
                started_at = case when s.new_attempt > 0 then null else e.started_at end,
                ended_at = case when s.new_attempt > 0 then null else twinbell.instant(?) end,
                reason = case when e.origin is null and e.reruns is null then s.reason else
                  concat_ws('; ', nullif(regexp_replace(e.reason, '(; )?attempt \\d+ was left without .*', ''), ''), s.reason) end
            from settled s
            where twinbell.same(e.task_id, s.task_id) and twinbell.same(e.fire_time, s.fire_time)
              and e.attempt = s.attempt and e.epoch = s.epoch
              and e.state || '' in ('CLAIMED', 'RUNNING') and exists (select 1 from authority)
              and (? = 0 or e.claimed_at < statement_timestamp() - ? * interval '1 millisecond')
            returning e.task_id, twinbell.millis(e.fire_time)""";

    /** A slot that is in the ledger already keeps its row. */
    private static final String ENTER_PASSED = "with " + EpochGuard.OF_THE_OWNER + """
            , passed as (
              delete from twinbell.passed_slots where exists (select 1 from authority) returning *
            ), owed as (
              select p.*, (e.task_id is not null)::int as had from passed p
              left join twinbell.execution e
                on twinbell.same(e.task_id, p.task_id) and twinbell.same(e.fire_time, p.fire_time)
            )
            insert into twinbell.execution (task_id, fire_time, app, name, state, ended_at, until_fire_time, slots, reason)
            select task_id, case had when 0 then fire_time else second_fire_time end, app, name, state, clock_timestamp(),
                   case when slots - had > 1 then until_fire_time end, slots - had, reason
            from owed where slots > had
            on conflict do nothing""";

    private static final String DRAINING = """
            select distinct e.task_id from twinbell.epoch p cross join lateral twinbell.drains(p) d
              join twinbell.execution e on e.epoch = d.epoch
            where e.state in ('CLAIMED', 'RUNNING')
            union
            select b.task_id from twinbell.epoch p cross join lateral twinbell.drains(p) d
              join twinbell.batch_claim b on b.epoch = d.epoch""";

    private static final String TAKE_RELEASES =
            "with " + EpochGuard.OF_THE_OWNER + """
            , taken as (
              delete from twinbell.release_request where (task_id, fire_time) in (
                select task_id, fire_time from twinbell.release_request
                where not twinbell.is_in_batch(task_id, fire_time) order by requested_at limit ?)
                and exists (select 1 from authority)
              returning *
            )
            select""" + ClaimColumns.ATTEMPT + """
            , r.reason
            from taken r join twinbell.execution e
              on twinbell.same(e.task_id, r.task_id) and twinbell.same(e.fire_time, r.fire_time)
            """ + ClaimColumns.task("e.task_id") + """
            where e.state || '' in ('CLAIMED', 'RUNNING')""";

    private static final String RETRYING =
            "select task_id, twinbell.millis(fire_time) from twinbell.execution where state = 'RETRYING' limit ?";

    private static final String CANCEL_REQUESTS = """
            select task_id, twinbell.millis(fire_time), reason from twinbell.cancel_request
            order by requested_at limit ?""";

    private static final String CANCEL_WAITING = "with " + EpochGuard.OF_THE_OWNER + """
            , asked as (
              select task_id, twinbell.instant(fire) as fire_time, reason
              from unnest(?::bigint[], ?::bigint[], ?::text[]) as a(task_id, fire, reason)
              where exists (select 1 from authority)
            ), cancelled as (
              update twinbell.execution e
              set state = 'CANCELLED', ended_at = clock_timestamp(), due_at = null, held_by = null, reason = a.reason
              from asked a
              where twinbell.same(e.task_id, a.task_id) and twinbell.same(e.fire_time, a.fire_time)
                and e.state || '' in ('PENDING', 'RETRYING')
              returning e.task_id, e.fire_time
            ), forgotten as (
              delete from twinbell.cancel_request r using asked a
              where r.task_id = a.task_id and r.fire_time = a.fire_time
                and (exists (select 1 from cancelled c where c.task_id = r.task_id and c.fire_time = r.fire_time)
                  or not exists (select 1 from twinbell.execution e where twinbell.same(e.task_id, r.task_id)
                    and twinbell.same(e.fire_time, r.fire_time) and e.state in ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING'))
                  and not twinbell.is_in_batch(r.task_id, r.fire_time))
            )
            select task_id, twinbell.millis(fire_time) from cancelled""";

    private final DedicatedConnection connection;
    private final ScanWindow orphanWindow;
    private final ScanWindow ownWindow;
    private final StalledTaskSearch stalledTasks;
    private long orphansOf;

    public JdbcRecoveryStore(DedicatedConnection connection) {
        this(connection, Ticker.SYSTEM);
    }

    /** @param ticker measures how long scans take */
    public JdbcRecoveryStore(DedicatedConnection connection, Ticker ticker) {
        this.connection = connection;
        orphanWindow = new ScanWindow(ticker, LONGEST_SCAN);
        ownWindow = new ScanWindow(ticker, LONGEST_SCAN);
        stalledTasks = new StalledTaskSearch(ticker);
    }

    @Override
    public List<Attempt> orphans(Epoch epoch, int limit) {
        return connection.run(c -> {
            postponeOthers(c, epoch);
            if (epoch.number() != orphansOf) {
                orphanWindow.reset();
                orphansOf = epoch.number();
            }
            List<Attempt> orphans = orphanWindow.run(
                    () -> taskIds(c),
                    (from, until) -> {
                        try (PreparedStatement statement = c.prepareStatement(ORPHANS)) {
                            statement.setLong(1, from);
                            statement.setLong(2, until);
                            statement.setLong(3, epoch.number());
                            statement.setInt(4, limit);
                            return Rows.all(statement, ClaimColumns::attempt);
                        }
                    },
                    found -> !found.isEmpty());
            if (orphans.size() == limit) {
                // Their tasks wait for the others too.
                orphanWindow.reset();
            }
            return orphans;
        });
    }

    @Override
    public List<Attempt> own(Epoch epoch, long olderThanMillis, int limit) {
        return connection.run(c -> {
            unpackOld(c, epoch, olderThanMillis);
            List<Attempt> own = ownWindow.run(
                    () -> taskIds(c),
                    (from, until) -> {
                        try (PreparedStatement statement = c.prepareStatement(OWN)) {
                            statement.setLong(1, from);
                            statement.setLong(2, until);
                            statement.setLong(3, epoch.number());
                            statement.setLong(4, olderThanMillis);
                            statement.setInt(5, limit);
                            return Rows.all(statement, ClaimColumns::attempt);
                        }
                    },
                    found -> !found.isEmpty());
            if (!own.isEmpty()) {
                // Some of these attempts run again without another write, so their claims must be confirmed first.
                CommitBarrier.pass(c);
            }
            return own;
        });
    }

    /** The range of the ids of existing tasks. */
    static ScanWindow.Range taskIds(Connection c) throws SQLException {
        try (PreparedStatement statement =
                c.prepareStatement("select coalesce(min(id), 0), coalesce(max(id), 0) from twinbell.task")) {
            return Rows.only(statement, row -> new ScanWindow.Range(row.getLong(1), row.getLong(2)));
        }
    }

    private static void postponeOthers(Connection c, Epoch epoch) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(UNPACK_ORPHANS)) {
            EpochGuard.bind(statement, 1, epoch);
            statement.execute();
        }
    }

    private static void unpackOld(Connection c, Epoch epoch, long olderThanMillis) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(UNPACK_OLD)) {
            statement.setLong(1, epoch.number());
            statement.setLong(2, olderThanMillis);
            statement.execute();
        }
    }

    @Override
    public List<Settlement> settle(Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis) {
        return connection.transaction(c -> {
            List<Settlement> notAwaited = withoutAwaited(c, epoch, settlements);
            Set<Slot> changed = update(c, epoch, notAwaited, atMillis, claimedForMillis);
            List<Settlement> settled = notAwaited.stream()
                    .filter(settlement -> changed.contains(settlement.orphan().slot()))
                    .toList();
            Reschedule.run(c, epoch, settled, s -> s.orphan().slot().taskId(), Settlement::nextMillis);
            return settled;
        });
    }

    private static Set<Slot> update(
            Connection c, Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(SETTLE)) {
            int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), settlements)
                    .slots(s -> s.orphan().slot())
                    .longs(s -> s.orphan().attempt())
                    .longs(s -> s.orphan().epoch())
                    .longs(Settlement::newAttempt)
                    .texts(s -> s.end().name())
                    .texts(Settlement::reason)
                    .next();
            statement.setLong(next++, epoch.number());
            statement.setString(next++, epoch.node());
            statement.setLong(next++, atMillis);
            statement.setLong(next++, claimedForMillis);
            statement.setLong(next, claimedForMillis);
            return Rows.set(statement, ClaimColumns::slot);
        }
    }

    @Override
    public Set<Long> tasksThatDrain() {
        return connection.run(DRAINING, statement -> Rows.set(statement, row -> row.getLong(1)));
    }

    @Override
    public Set<Slot> retrying(int limit) {
        return connection.run(RETRYING, statement -> {
            statement.setInt(1, limit);
            return Rows.set(statement, ClaimColumns::slot);
        });
    }

    @Override
    public List<CancelRequest> cancelRequests(int limit) {
        return connection.run(CANCEL_REQUESTS, statement -> {
            statement.setInt(1, limit);
            return Rows.all(statement, row -> new CancelRequest(ClaimColumns.slot(row), row.getString(3)));
        });
    }

    @Override
    public Set<Slot> cancelWaiting(Epoch epoch, List<CancelRequest> requests) {
        return connection.run(CANCEL_WAITING, statement -> {
            new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), requests)
                    .slots(CancelRequest::slot)
                    .texts(CancelRequest::reason);
            return Rows.set(statement, ClaimColumns::slot);
        });
    }

    @Override
    public void pauseFailing(Epoch epoch) {
        connection.run(c -> {
            FailureStreaks.pause(c, epoch);
            FailureStreaks.forget(c);
            return null;
        });
    }

    @Override
    public StalledTask.StalledTaskPage stalled(long afterTaskId, int most) {
        return connection.run(c -> stalledTasks.page(c, afterTaskId, most));
    }

    @Override
    public void restart(Epoch epoch, Map<Long, Long> nextMillis) {
        connection.run(c -> {
            List<Map.Entry<Long, Long>> rows = List.copyOf(nextMillis.entrySet());
            Reschedule.run(c, epoch, rows, Map.Entry::getKey, Map.Entry::getValue);
            return null;
        });
    }

    @Override
    public int enterPassedSlots(Epoch epoch) {
        return connection.run(ENTER_PASSED, statement -> {
            EpochGuard.bind(statement, 1, epoch);
            return statement.executeUpdate();
        });
    }

    @Override
    public List<ReleaseRequest> takeReleaseRequests(Epoch epoch, int limit) {
        return connection.run(c -> {
            try (PreparedStatement unpack = c.prepareStatement(UNPACK_RELEASED)) {
                unpack.execute();
            }
            try (PreparedStatement statement = c.prepareStatement(TAKE_RELEASES)) {
                statement.setInt(EpochGuard.bind(statement, 1, epoch), limit);
                return Rows.all(
                        statement, row -> new ReleaseRequest(ClaimColumns.attempt(row), row.getString("reason")));
            }
        });
    }

    private static List<Settlement> withoutAwaited(Connection c, Epoch epoch, List<Settlement> settlements)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(AWAITED)) {
            statement.setLong(1, epoch.number());
            new ColumnArrays<>(statement, 2, settlements)
                    .slots(s -> s.orphan().slot())
                    .longs(s -> s.orphan().attempt())
                    .longs(s -> s.orphan().epoch());
            Set<Slot> kept = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (rows.getBoolean(3)) {
                        kept.add(ClaimColumns.slot(rows));
                    }
                }
            }
            return settlements.stream()
                    .filter(settlement -> !kept.contains(settlement.orphan().slot()))
                    .toList();
        }
    }
}
