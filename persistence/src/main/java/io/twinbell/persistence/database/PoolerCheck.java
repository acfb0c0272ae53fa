package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** Detects a pooler, such as PgBouncer, between this node and PostgreSQL, and explains what it breaks. */
public final class PoolerCheck {
    /** Explains what to change in a pooler that gives a session to another client between two transactions. */
    public static final String NEEDS_SESSIONS =
            "database.url points to a pooler that gives each transaction another session (PgBouncer with pool_mode"
                    + " = transaction or statement), but a node needs session locks, LISTEN and prepared"
                    + " statements. Set pool_mode = session for this database, or point database.url directly to"
                    + " PostgreSQL";

    /** A setting that is set in one session and looked for in another. */
    private static final String PROBE = "twinbell.pooling_probe";

    /** Another client may use the session in between, which hides the pooler from a single round. */
    private static final int ROUNDS = 3;

    private static final String STARTUP_PARAMETER = "unsupported startup parameter";

    /** PgBouncer refuses to begin a transaction in this mode. */
    private static final String STATEMENT_MODE = "statement pooling mode";

    /** Protocol violation. */
    private static final String SHARED_SESSION = "08P01";

    private static final String DUPLICATE_STATEMENT = "42P05";
    private static final String NO_SUCH_STATEMENT = "26000";

    private PoolerCheck() {}

    /** Adds the setting to change if a pooler refused the options of a session. */
    static String explained(String message) {
        if (message == null || !message.contains(STARTUP_PARAMETER)) {
            return message;
        }
        String parameter = message.substring(message.lastIndexOf(':') + 1).strip();
        String ignored = parameter.equals("options") ? parameter : "options," + parameter;
        return message + " (a pooler such as PgBouncer refuses it: set ignore_startup_parameters = " + ignored
                + " and pool_mode = session in pgbouncer.ini, or point database.url directly to PostgreSQL)";
    }

    /** Whether a pooler refuses the startup parameter {@code options}, or a setting in it. */
    static boolean refusesOptions(SQLException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains(STARTUP_PARAMETER + ": options") || message.contains(STARTUP_PARAMETER + " in options");
    }

    /** The failure of a session that a pooler would share with other clients. */
    static SQLException refused() {
        return new SQLException(NEEDS_SESSIONS, SHARED_SESSION);
    }

    /** Whether the failure, or its cause, is {@link #refused}. */
    static boolean isRefused(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException && NEEDS_SESSIONS.equals(cause.getMessage())) {
                return true;
            }
        }
        return false;
    }

    /** @throws WrongSchemaException if transactions of one connection may run in different sessions */
    static void refuseByTransaction(DataSource dataSource) {
        boolean hasSession = false;
        try (Connection one = dataSource.getConnection()) {
            hasSession = true;
            if (isPooled(one) && isSharingSessions(one, dataSource)) {
                throw new WrongSchemaException(NEEDS_SESSIONS);
            }
        } catch (SQLException e) {
            if (isRefused(e)) {
                throw new WrongSchemaException(NEEDS_SESSIONS, e);
            }
            throw new DatabaseUnavailableException("connect", e, hasSession);
        }
    }

    /** Whether transactions of one connection may run in different sessions. */
    static boolean isByTransaction(DataSource dataSource) throws SQLException {
        try (Connection one = dataSource.getConnection()) {
            return isPooled(one) && isSharingSessions(one, dataSource);
        }
    }

    /** The finding for {@code twinbell doctor}; empty if each connection keeps its session. */
    public static Optional<String> byTransaction(DataSource dataSource) {
        try {
            refuseByTransaction(dataSource);
            return Optional.empty();
        } catch (WrongSchemaException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** A pooler announces a process id of its own. */
    private static boolean isPooled(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select pg_backend_pid()")) {
            return Rows.only(
                    query,
                    row -> row.getInt(1)
                            != connection.unwrap(PGConnection.class).getBackendPID());
        }
    }

    /**
     * Sets a setting on one connection, and reads it while the other connection is in a transaction. If sessions are
     * shared, either the other connection got that session and sees the setting, or the first one got a third session
     * and has lost it.
     */
    private static boolean isSharingSessions(Connection one, DataSource dataSource) throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            String mark = UUID.randomUUID().toString();
            set(one, mark);
            try (Connection other = dataSource.getConnection()) {
                other.setAutoCommit(false);
                boolean isSeen = mark.equals(probe(other));
                boolean isKept = mark.equals(probe(one));
                other.rollback();
                other.setAutoCommit(true);
                if (isSeen || !isKept) {
                    return true;
                }
            } catch (SQLException e) {
                if (indicatesPooler(e)) {
                    return true;
                }
                throw e;
            }
        }
        return false;
    }

    /**
     * The driver's prepared statements, such as that for ROLLBACK, may also be missing because the session has changed.
     */
    private static boolean indicatesPooler(SQLException e) {
        return DUPLICATE_STATEMENT.equals(e.getSQLState())
                || NO_SUCH_STATEMENT.equals(e.getSQLState())
                || String.valueOf(e.getMessage()).contains(STATEMENT_MODE);
    }

    private static void set(Connection connection, String mark) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select set_config(?, ?, false)")) {
            statement.setString(1, PROBE);
            statement.setString(2, mark);
            statement.execute();
        }
    }

    private static String probe(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select current_setting(?, true)")) {
            query.setString(1, PROBE);
            return Rows.only(query, row -> row.getString(1));
        }
    }
}
