package io.twinbell.persistence.epoch;

import io.twinbell.persistence.database.CommitBarrier;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.ServerHistory.Position;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the epoch, the heartbeat and the requests to hand over in PostgreSQL. */
public final class JdbcEpochRegister implements EpochRegister {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcEpochRegister.class);
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final int TRIES = 3;

    private static final String READ = """
            select e.epoch, e.node, e.incarnation, e.resigned_at is not null,
                   twinbell.now_millis() - twinbell.millis(greatest(h.beat_at, e.opened_at, '1970-01-01Z')),
                   coalesce(e.draining_epoch, 0), coalesce(twinbell.millis(e.draining_until), 0),
                   coalesce(twinbell.now_millis() - twinbell.millis(e.resigned_at), 0),
                   m.requested_by, m.to_node, m.reason,""" + " " + InstructionRegister.HOLD_COLUMNS + """
             from twinbell.epoch e cross join twinbell.heartbeat h cross join twinbell.takeover_hold t
            left join lateral twinbell.move_by_hand(e.epoch) m on true""";

    /**
     * A person's request is valid for 30 seconds; a standby's request for 5 seconds, and only while no hold is in
     * effect.
     */
    private static final String HAND_OVER_ASKED = """
            select reason || ' (asked by ' || requested_by || ')' from twinbell.hand_over_request
            where epoch = ? and case when by_hand then requested_at > clock_timestamp() - interval '30 seconds'
              else requested_at > clock_timestamp() - interval '5 seconds' and not exists (select 1 from twinbell.takeover_hold where\
            """ + " " + InstructionRegister.IS_ON + ") end order by id limit 1";

    /**
     * Opens an epoch in one statement, because the whole pair waits for it. It locks the row before it reads the time.
     * So the claims that the lock waited for are older than the opening, also by the clock. A frozen master keeps its
     * locks; 100 ms is far longer than any guarded statement takes.
     */
    private static final String OPEN = "with " + InstructionRegister.NO_HOLD + """
            , terms as materialized (
              select set_config('lock_timeout', '100', true), set_config('synchronous_commit', 'on', true)
            ), before as materialized (
              select e.epoch from terms, twinbell.epoch e
              where e.id = 1 and e.epoch = ? and (exists (select 1 from no_hold) or e.node = ?
                or exists (select 1 from twinbell.move_by_hand(e.epoch) m where coalesce(m.to_node, ?) = ?))
              for update of e
            ), opened as (
              update twinbell.epoch as e
              set epoch = greatest(b.epoch + 1, ?), owner_token = ?, node = ?, incarnation = ?, zk_session = ?, zk_czxid = ?,
                  opened_at = clock_timestamp(), reason = ?, resigned_at = null
              from before b where e.id = 1
              returning e.epoch, e.opened_at
            ), beaten as (
              update twinbell.heartbeat h set epoch = o.epoch, beat_at = clock_timestamp() from opened o where h.id = 1
            ), answered as (
              delete from twinbell.hand_over_request r using opened o where r.epoch < o.epoch
            ), notified as materialized (
              select pg_notify('twinbell_epoch', '') from opened
            )
            select o.epoch, twinbell.millis(o.opened_at) from opened o, notified""";

    /**
     * The mark grows even if the clock is set back, so an older copy of the database is recognised by its lower mark.
     */
    private static final String BEAT = "with " + EpochGuard.OF_THE_OWNER + """
            , beaten as (
              update twinbell.heartbeat set epoch = ?, beat_at = clock_timestamp(), timeline = ?,
                is_synchronous = coalesce(current_setting('synchronous_standby_names', true), '') <> ''
              where id = 1 and exists (select 1 from authority) returning 1
            )
            select setval('twinbell.history_mark', greatest(twinbell.now_millis(), m.last_value + 1))
            from beaten, twinbell.history_mark m""";

    /**
     * Notifies the latch holder, which waits for the resignation. Predecessors that are still draining continue to
     * drain.
     */
    private static final String RESIGN = """
            with resigned as (
              update twinbell.epoch e
              set resigned_at = clock_timestamp(), draining_epoch = epoch, draining_token = owner_token,
                draining_until = clock_timestamp() + ? * interval '1 millisecond',
                earlier_drains = (select coalesce(jsonb_agg(d), '[]') from twinbell.drains(e) d where d.epoch <> e.epoch)
              where id = 1 and epoch = ? and owner_token = ? returning 1
            )
            select pg_notify('twinbell_epoch', '') from resigned""";

    private static final String DRAINED = """
            update twinbell.epoch e
            set draining_until = case when draining_epoch = m.epoch then clock_timestamp() else draining_until end,
              earlier_drains = (select coalesce(jsonb_agg(d), '[]') from twinbell.drains(e) d
                where d.epoch not in (m.epoch, e.draining_epoch))
            from (select ?::bigint as epoch, ?::uuid as token) m
            where e.id = 1 and exists (
              select 1 from twinbell.drains(e) d where d.epoch = m.epoch and d.token = m.token)""";

    /** The number of executions after which the driver uses a prepared statement on the server. */
    private static final int UNTIL_PREPARED = 6;

    private final DatabaseSettings settings;
    private final DedicatedConnection connection;
    private volatile boolean isWarm;

    public JdbcEpochRegister(DatabaseSettings settings, DedicatedConnection connection) {
        this.settings = settings;
        this.connection = connection;
    }

    @Override
    public EpochRow read() {
        return connection.run(JdbcEpochRegister::readRow);
    }

    private static EpochRow readRow(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(READ)) {
            return Rows.only(
                    statement,
                    row -> new EpochRow(
                            row.getLong(1),
                            row.getString(2),
                            row.getObject(3, UUID.class),
                            row.getBoolean(4),
                            row.getLong(5),
                            row.getLong(6),
                            row.getLong(7),
                            row.getLong(8),
                            InstructionRegister.readHold(row, 12),
                            readMove(row)));
        }
    }

    private static MoveRequest readMove(ResultSet row) throws SQLException {
        String by = row.getString(9);
        return by == null ? null : new MoveRequest(row.getString(10), by, row.getString(11));
    }

    @Override
    public Optional<Epoch> open(long expected, Claimant claimant, String reason) {
        for (int attempt = 1; ; attempt++) {
            try {
                return openOnce(expected, claimant, reason);
            } catch (RuntimeException e) {
                if (attempt == TRIES || !isLockTimeout(e)) {
                    throw e;
                }
                endSessionsOfTheOwner(expected);
            }
        }
    }

    private Optional<Epoch> openOnce(long expected, Claimant claimant, String reason) {
        return connection.run(c -> openOnce(c, expected, claimant, reason));
    }

    private static Optional<Epoch> openOnce(Connection c, long expected, Claimant claimant, String reason)
            throws SQLException {
        UUID token = UUID.randomUUID();
        try (PreparedStatement statement = c.prepareStatement(OPEN)) {
            statement.setLong(1, expected);
            statement.setString(2, claimant.node());
            statement.setString(3, claimant.node());
            statement.setString(4, claimant.node());
            statement.setLong(5, claimant.latchCzxid());
            statement.setObject(6, token);
            statement.setString(7, claimant.node());
            statement.setObject(8, claimant.incarnation());
            statement.setLong(9, claimant.zooKeeperSession());
            statement.setLong(10, claimant.latchCzxid());
            statement.setString(11, reason);
            return Rows.first(statement, row -> new Epoch(row.getLong(1), token, claimant.node(), row.getLong(2)));
        }
    }

    @Override
    public void warmUp() {
        Claimant nobody = new Claimant(Epoch.NOBODY.node(), Epoch.NOBODY.token(), 0, 0);
        for (int time = isWarm ? UNTIL_PREPARED : 1; time <= UNTIL_PREPARED; time++) {
            read();
            // Not via open(), which may end the owner's sessions.
            openOnce(Epoch.NOBODY.number(), nobody, "nothing");
            beat(Epoch.NOBODY);
            confirm(Epoch.NOBODY);
            handOverAsked(Epoch.NOBODY);
            resign(Epoch.NOBODY, Duration.ZERO);
            drained(Epoch.NOBODY);
        }
        isWarm = true;
    }

    private static boolean isLockTimeout(RuntimeException e) {
        return e.getCause() instanceof SQLException cause && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
    }

    /**
     * Ends only the sessions of the expected epoch's owner: this node may have been suspended since the lock timeout,
     * and a newer owner must not be hit.
     */
    private void endSessionsOfTheOwner(long expected) {
        UUID owner = read().incarnation();
        if (owner == null || owner.equals(settings.incarnation())) {
            return;
        }
        // Any role may use this application name. Sessions that this role may not end must not stop a promotion.
        int ended = connection.run("""
                select count(pg_terminate_backend(pid)) from pg_stat_activity
                where datname = current_database() and application_name like ? and pid <> pg_backend_pid()
                  and pg_has_role(usesysid, 'USAGE')
                  and exists (select 1 from twinbell.epoch where epoch = ? and incarnation = ?)""", statement -> {
            statement.setString(1, DatabaseSettings.applicationPrefix(owner) + "%");
            statement.setLong(2, expected);
            statement.setObject(3, owner);
            return Rows.only(statement, row -> row.getInt(1));
        });
        LOG.warn("the old master had locked the epoch row: ended {} of its database sessions", ended);
    }

    @Override
    public boolean beat(Epoch epoch) {
        int generation = settings.servers().generation();
        Optional<Long> mark = connection.run(BEAT, statement -> {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setLong(next, epoch.number());
            statement.setLong(
                    next + 1,
                    settings.servers().newest().map(Position::timeline).orElse(0L));
            Optional<Long> beaten = Rows.first(statement, row -> row.getLong(1));
            CommitBarrier.requireConfirmed(statement);
            return beaten;
        });
        mark.ifPresent(millis -> settings.servers().marked(generation, millis));
        return mark.isPresent();
    }

    @Override
    public boolean confirm(Epoch epoch) {
        return connection.run(c -> EpochGuard.isOwner(c, epoch));
    }

    @Override
    public boolean resign(Epoch epoch, Duration drain) {
        return connection.run(RESIGN, statement -> {
            statement.setLong(1, drain.toMillis());
            EpochGuard.bind(statement, 2, epoch);
            return Rows.isAny(statement);
        });
    }

    @Override
    public void drained(Epoch epoch) {
        connection.run(DRAINED, statement -> {
            EpochGuard.bind(statement, 1, epoch);
            return statement.executeUpdate();
        });
    }

    @Override
    public void askToHandOver(long epoch, String askedBy, String reason) {
        connection.transaction(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                    "insert into twinbell.hand_over_request (epoch, requested_by, reason) values (?, ?, ?)")) {
                statement.setLong(1, epoch);
                statement.setString(2, askedBy);
                statement.setString(3, reason);
                statement.executeUpdate();
            }
            execute(c, "notify twinbell_epoch");
            return null;
        });
    }

    @Override
    public Optional<String> handOverAsked(Epoch epoch) {
        return connection.run(HAND_OVER_ASKED, statement -> {
            statement.setLong(1, epoch.number());
            return Rows.first(statement, row -> row.getString(1));
        });
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (var statement = c.createStatement()) {
            statement.execute(sql);
        }
    }
}
