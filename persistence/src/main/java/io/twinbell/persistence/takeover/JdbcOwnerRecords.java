package io.twinbell.persistence.takeover;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Stores the owner's location and the list of takeovers in PostgreSQL, and reads which sessions are connected. */
public final class JdbcOwnerRecords implements OwnerRecords {
    private static final String KEPT = "30 days";

    private static final String RECORD = "with " + EpochGuard.OF_THE_OWNER + """
             update twinbell.whereabouts
            set epoch = ?, http = ?, zk_session = ?, zk_password = ?, zk_czxid = ?, lock_backend = ?,
                recorded_at = clock_timestamp()
            where id = 1 and exists (select 1 from authority)""";

    private static final String LATEST_OWNER = """
            select e.epoch, e.node, e.incarnation, w.http, w.zk_session, w.zk_password, w.zk_czxid, w.lock_backend
            from twinbell.epoch e join twinbell.whereabouts w on w.epoch = e.epoch
            where e.node is not null and e.resigned_at is\
            """;
    private static final String OWNER = LATEST_OWNER + " null";
    private static final String RESIGNED = LATEST_OWNER + " not null";

    /** Excludes the sessions of SQL tasks: they cannot commit under an epoch and may choose any application name. */
    private static final String SESSIONS = """
            select count(*), coalesce(twinbell.millis(max(state_change)), 0), twinbell.now_millis() from pg_stat_activity
            where datname = current_database() and backend_type = 'client backend' and application_name like ?
              and (pg_has_role(usesysid, (select nspowner from pg_namespace where nspname = 'twinbell'), 'MEMBER')
                   or twinbell.is_node(usename))""";

    private final DedicatedConnection connection;

    public JdbcOwnerRecords(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public boolean record(Epoch epoch, OwnerLocation location) {
        return connection.run(RECORD, statement -> {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setLong(next++, location.epoch());
            statement.setString(next++, location.http());
            statement.setLong(next++, location.session().id());
            statement.setString(next++, location.session().password());
            statement.setLong(next++, location.session().latchCzxid());
            statement.setInt(next, location.lockBackend());
            return statement.executeUpdate() == 1;
        });
    }

    @Override
    public Optional<OwnerLocation> owner() {
        return read(OWNER);
    }

    @Override
    public Optional<OwnerLocation> resigned() {
        return read(RESIGNED);
    }

    private Optional<OwnerLocation> read(String sql) {
        return connection.run(sql, statement -> Rows.first(statement, JdbcOwnerRecords::read));
    }

    private static OwnerLocation read(ResultSet row) throws SQLException {
        return new OwnerLocation(
                row.getLong(1),
                row.getString(2),
                row.getObject(3, UUID.class),
                row.getString(4),
                new OwnerLocation.LatchSession(row.getLong(5), row.getString(6), row.getLong(7)),
                row.getInt(8));
    }

    @Override
    public boolean isLockHeldBy(int backend) {
        return connection.run("select 1 from twinbell.master_lock_holders() as pid where pid = ?", statement -> {
            statement.setInt(1, backend);
            return Rows.isAny(statement);
        });
    }

    @Override
    public OwnerSessions sessionsOf(UUID incarnation) {
        return connection.run(SESSIONS, statement -> {
            statement.setString(1, DatabaseSettings.applicationPrefix(incarnation) + "%");
            return Rows.only(statement, row -> new OwnerSessions(row.getInt(1), row.getLong(2), row.getLong(3)));
        });
    }

    @Override
    public void enterTakeover(String node, long epoch, String verdict) {
        connection.transaction(c -> {
            try (PreparedStatement statement =
                    c.prepareStatement("insert into twinbell.takeover (node, epoch, verdict) values (?, ?, ?)")) {
                statement.setString(1, node);
                statement.setLong(2, epoch);
                statement.setString(3, verdict);
                statement.executeUpdate();
            }
            try (var statement = c.createStatement()) {
                return statement.execute(
                        "delete from twinbell.takeover where at < clock_timestamp() - interval '" + KEPT + "'");
            }
        });
    }

    @Override
    public int takeoversOfLost(Duration within) {
        return connection.run("""
                select count(*) from twinbell.takeover
                where verdict = 'LOST' and at > clock_timestamp() - ? * interval '1 millisecond'""", statement -> {
            statement.setLong(1, within.toMillis());
            return Rows.only(statement, row -> row.getInt(1));
        });
    }
}
