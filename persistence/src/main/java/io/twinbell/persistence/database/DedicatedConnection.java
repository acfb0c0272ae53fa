package io.twinbell.persistence.database;

import io.twinbell.persistence.actor.Actor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection for one purpose, separate from the pool, so that no critical work waits behind user work. It is opened
 * on first use, and again after a failure. One caller at a time.
 */
public final class DedicatedConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DedicatedConnection.class);

    private final DatabaseSettings settings;
    private final String purpose;
    private final int socketTimeoutSeconds;
    private final boolean checksBeforeUse;
    private final String options;
    private volatile Connection connection;
    private volatile Arrival arrival = connection -> {};
    private int admitted = ServerHistory.NOT_ADMITTED;

    /** Work on a connection before it is used. */
    @FunctionalInterface
    public interface Arrival {
        void arrived(Connection connection) throws SQLException;
    }

    /** @param socketTimeoutSeconds the longest wait for an answer; after it the connection counts as broken */
    public DedicatedConnection(DatabaseSettings settings, String purpose, int socketTimeoutSeconds) {
        this(settings, purpose, socketTimeoutSeconds, false, "");
    }

    private DedicatedConnection(
            DatabaseSettings settings,
            String purpose,
            int socketTimeoutSeconds,
            boolean checksBeforeUse,
            String options) {
        this.settings = settings;
        this.purpose = purpose;
        this.socketTimeoutSeconds = socketTimeoutSeconds;
        this.checksBeforeUse = checksBeforeUse;
        this.options = options;
    }

    /**
     * A connection that is tested before each use, for operations that people call rarely. Without the test, a session
     * that ended hours ago would make the caller's operation fail.
     */
    public static DedicatedConnection checkedBeforeUse(
            DatabaseSettings settings, String purpose, int socketTimeoutSeconds) {
        return new DedicatedConnection(settings, purpose, socketTimeoutSeconds, true, "");
    }

    /**
     * A connection whose statements find rows by key, thousands at a time and for weeks. Each statement is planned only
     * once. Compare a key as {@code key = any(array[other])}, never as {@code key = other}. The former has only one
     * plan: an index lookup for each row. The latter, if planned while the table was empty, may scan the whole index
     * for each row, which takes seconds for thousands of rows. {@code twinbell.same} compares the two parts of an
     * execution's key in this way.
     */
    public static DedicatedConnection byKey(DatabaseSettings settings, String purpose, int socketTimeoutSeconds) {
        return new DedicatedConnection(settings, purpose, socketTimeoutSeconds, false, DatabaseSettings.BY_KEY_OPTIONS);
    }

    /** Sets work that runs before each use from now on, because any use may be the first on a promoted server. */
    public void beforeEachUse(Arrival work) {
        arrival = work;
    }

    /** Runs {@code work} with auto-commit on. If the thread acts on behalf of an actor, runs it in one transaction. */
    public synchronized <T> T run(SqlWork<T> work) {
        if (Actor.isPresent()) {
            return transaction(work);
        }
        try {
            return work.with(open());
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Work with a prepared statement. */
    @FunctionalInterface
    public interface StatementWork<T> {
        T with(PreparedStatement statement) throws SQLException;
    }

    /** Prepares one statement and runs {@code work} with it, as {@link #run(SqlWork)} does. */
    public <T> T run(String sql, StatementWork<T> work) {
        return run(c -> {
            try (PreparedStatement statement = c.prepareStatement(sql)) {
                return work.with(statement);
            }
        });
    }

    /** Runs {@code work} in one transaction. */
    public synchronized <T> T transaction(SqlWork<T> work) {
        try {
            Connection open = open();
            open.setAutoCommit(false);
            Actor.state(open);
            T result = work.with(open);
            open.commit();
            open.setAutoCommit(true);
            return result;
        } catch (SQLException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            // Otherwise the next caller would be in a transaction that nobody commits.
            discard();
            throw e;
        }
    }

    /**
     * Aborts the connection, so that a thread that waits for an answer on it gets an exception now. Any thread may call
     * it.
     */
    public void breakOff() {
        Connection waitedOn = connection;
        if (waitedOn != null) {
            try {
                waitedOn.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("aborting the {} connection failed", purpose, e);
            }
        }
    }

    @Override
    public synchronized void close() {
        discard();
    }

    private Connection open() throws SQLException {
        if (checksBeforeUse && connection != null && !connection.isValid(socketTimeoutSeconds)) {
            discard();
        }
        if (connection == null) {
            Sessions.Session begun =
                    new Sessions(settings).begin(settings.properties(purpose, socketTimeoutSeconds, options));
            connection = settings.schema().on(begun.connection());
            admitted = begun.generation();
        } else if (admitted == ServerHistory.NOT_ADMITTED) {
            admitted = settings.servers().admit(connection);
        } else if (!settings.servers().isCurrent(admitted)) {
            admitted = settings.servers().renew(connection, admitted);
        }
        arrival.arrived(connection);
        return connection;
    }

    /** Discards the connection after any failure, so that the next caller starts with a connection in a known state. */
    private DatabaseUnavailableException failed(SQLException e) {
        boolean hasSession = connection != null;
        discard();
        return new DatabaseUnavailableException(purpose, e, hasSession);
    }

    private void discard() {
        Connection broken = connection;
        connection = null;
        if (broken != null) {
            try {
                broken.close();
            } catch (SQLException e) {
                LOG.debug("closing the {} connection failed", purpose, e);
            }
        }
    }
}
