package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection kept for one purpose, apart from the pool, so that nothing system-critical waits behind user work.
 * Opened when first needed and again after it broke. One caller at a time.
 */
public final class DedicatedConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DedicatedConnection.class);

    private static final String CONNECTION_FAILURE = "08006";

    private final DatabaseSettings settings;
    private final String purpose;
    private final int socketTimeoutSeconds;
    private final boolean checksBeforeUse;
    private final String options;
    private volatile Connection connection;
    private volatile Arrival arrival = connection -> {};
    private int admitted = ServerHistory.NOT_ADMITTED;

    /** What is done with a server before it is used. */
    @FunctionalInterface
    public interface Arrival {
        void arrived(Connection connection) throws SQLException;
    }

    /** @param socketTimeoutSeconds how long an answer may take before the connection counts as broken */
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
     * One that asks the server for a sign of life before each use: for what people call now and then, who would else be
     * the first to learn that the session was ended hours ago.
     */
    public static DedicatedConnection checkedBeforeUse(
            DatabaseSettings settings, String purpose, int socketTimeoutSeconds) {
        return new DedicatedConnection(settings, purpose, socketTimeoutSeconds, true, "");
    }

    /**
     * One whose statements find their rows by keys, thousands at a time and for weeks: they are planned once, for that.
     * A key is compared as {@code key = any(array[other])}, never as {@code key = other}: the one has no other plan than a
     * look into the index for each row; for the other, where the table was found empty, a walk through all of its index for
     * each row seems as cheap, and takes seconds when there are thousands. Of the two parts of an execution's key {@code
     * twinbell.same} says it.
     */
    public static DedicatedConnection byKey(DatabaseSettings settings, String purpose, int socketTimeoutSeconds) {
        return new DedicatedConnection(settings, purpose, socketTimeoutSeconds, false, DatabaseSettings.BY_KEY_OPTIONS);
    }

    /** Before each use from now on: it may be the first of a server that was promoted. */
    public void onArrival(Arrival work) {
        arrival = work;
    }

    /** Runs {@code work} with auto-commit on. */
    public synchronized <T> T run(SqlWork<T> work) {
        try {
            return work.with(open());
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Runs {@code work} in one transaction. */
    public synchronized <T> T transaction(SqlWork<T> work) {
        try {
            Connection open = open();
            open.setAutoCommit(false);
            T result = work.with(open);
            open.commit();
            open.setAutoCommit(true);
            return result;
        } catch (SQLException e) {
            throw failed(e);
        } catch (RuntimeException | Error e) {
            // Whoever comes next would find itself in a transaction that nobody commits.
            discard();
            throw e;
        }
    }

    /** Whoever waits for an answer on it gets an exception now: the answer will not come. Any thread. */
    public void breakOff() {
        Connection waitedOn = connection;
        if (waitedOn != null) {
            try {
                waitedOn.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("breaking the {} connection off failed", purpose, e);
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
            connection = begun.connection();
            admitted = begun.generation();
        } else if (admitted == ServerHistory.NOT_ADMITTED) {
            admitted = settings.servers().admit(connection);
        } else if (!settings.servers().isCurrent(admitted)) {
            // Said as a break, so that every caller forgets what it knew of the session.
            throw new SQLException(
                    "the connection is opened again: a newer state of the database has become known",
                    CONNECTION_FAILURE);
        }
        arrival.arrived(connection);
        return connection;
    }

    /** Whatever went wrong, the next caller starts with a connection in a known state. */
    private DatabaseUnavailableException failed(SQLException e) {
        discard();
        return new DatabaseUnavailableException(purpose, e);
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
