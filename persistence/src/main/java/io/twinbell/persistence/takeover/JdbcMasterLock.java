package io.twinbell.persistence.takeover;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.SqlWork;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.postgresql.PGConnection;

/** The master's lock as a PostgreSQL advisory lock, on a dedicated connection that is idle while it holds the lock. */
public final class JdbcMasterLock implements MasterLock {
    private static final int PROBES = 3;

    private final DedicatedConnection connection;
    private int fitBackend;
    private int holdingBackend;
    private long heldSinceMillis;

    /** The session as the server reports it. */
    private record Session(int backend, String keepAlive) {}

    public JdbcMasterLock(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public Optional<String> unfit() {
        return onSession(c -> {
            int announced = announcedBackend(c);
            if (announced == fitBackend) {
                return Optional.empty();
            }
            Optional<String> reason = examine(c, announced);
            fitBackend = reason.isPresent() ? 0 : announced;
            return reason;
        });
    }

    /**
     * Detects a pooler: it announces a process id of its own, or gives each transaction to another process. Also
     * detects a pooler that ignores session options, because without them the server does not notice a lost host.
     */
    private static Optional<String> examine(Connection c, int announced) throws SQLException {
        for (int i = 0; i < PROBES; i++) {
            Session session = readSession(c);
            if (session.backend() != announced) {
                return Optional.of("database.url points to a pooler (the connection was announced as process "
                        + announced + " and is served by " + session.backend()
                        + "): a session lock would outlive its owner");
            }
            if (!session.keepAlive().equals(DatabaseSettings.KEEPALIVE_IDLE_SECONDS)) {
                return Optional.of("the session's options do not reach the server (tcp_keepalives_idle is "
                        + session.keepAlive() + "): the server would notice a lost host late");
            }
        }
        return Optional.empty();
    }

    private static Session readSession(Connection c) throws SQLException {
        try (PreparedStatement statement =
                c.prepareStatement("select pg_backend_pid(), current_setting('tcp_keepalives_idle')")) {
            return Rows.only(statement, row -> new Session(row.getInt(1), row.getString(2)));
        }
    }

    @Override
    public OptionalLong await(Duration bound) {
        return onSession(c -> {
            int session = announcedBackend(c);
            // A session lock is counted: if taken twice, it must be released twice.
            if (session != holdingBackend) {
                long had = waitFor(c, bound);
                if (had == 0) {
                    return OptionalLong.empty();
                }
                holdingBackend = session;
                heldSinceMillis = had;
            }
            return OptionalLong.of(heldSinceMillis);
        });
    }

    private static long waitFor(Connection c, Duration bound) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement("select twinbell.await_master_lock(?)")) {
            statement.setInt(1, Math.toIntExact(bound.toMillis()));
            return Rows.only(statement, row -> row.getLong(1));
        }
    }

    @Override
    public boolean isHeld() {
        return holdingBackend != 0
                && onSession(c -> {
                    boolean held = isHolder(c);
                    if (!held) {
                        holdingBackend = 0;
                    }
                    return held;
                });
    }

    private static boolean isHolder(Connection c) throws SQLException {
        try (var statement = c.createStatement();
                ResultSet row = statement.executeQuery(
                        "select 1 from twinbell.master_lock_holders() as pid where pid = pg_backend_pid()")) {
            return row.next();
        }
    }

    @Override
    public int backend() {
        return holdingBackend;
    }

    @Override
    public void release() {
        if (holdingBackend == 0) {
            return;
        }
        boolean released = onSession(c -> {
            try (PreparedStatement statement =
                    c.prepareStatement("select pg_advisory_unlock(twinbell.master_lock_key())")) {
                return Rows.only(statement, row -> row.getBoolean(1)) && !isHolder(c);
            }
        });
        holdingBackend = 0;
        if (!released) {
            connection.close();
        }
    }

    @Override
    public Optional<String> evict() {
        return onSession(c -> {
            try (PreparedStatement statement = c.prepareStatement("""
                    select a.application_name || ' (process ' || a.pid || ')',
                           case when a.application_name like ? and pg_has_role(a.usesysid, 'USAGE')
                             then pg_terminate_backend(a.pid) else false end
                    from twinbell.master_lock_holders() as holder join pg_stat_activity a on a.pid = holder
                    where holder <> pg_backend_pid()""")) {
                statement.setString(1, DatabaseSettings.APPLICATION + "/%");
                try (ResultSet row = statement.executeQuery()) {
                    boolean isAnothers = row.next() && !row.getBoolean(2);
                    return isAnothers ? Optional.of(row.getString(1)) : Optional.empty();
                }
            }
        });
    }

    private static int announcedBackend(Connection c) throws SQLException {
        return c.unwrap(PGConnection.class).getBackendPID();
    }

    /** A failure closes the connection and so the session. The next session may get the same process id. */
    private <T> T onSession(SqlWork<T> work) {
        try {
            return connection.run(work);
        } catch (DatabaseUnavailableException e) {
            fitBackend = 0;
            holdingBackend = 0;
            throw e;
        }
    }
}
