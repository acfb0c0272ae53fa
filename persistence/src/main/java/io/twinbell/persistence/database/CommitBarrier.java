package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;

/**
 * Distinguishes a commit that the server has confirmed from one that it only keeps locally.
 *
 * <p>A commit that waits for a synchronous replica stays in the primary if its session is ended or its wait is
 * cancelled: every session can read it, but a replica that is promoted lacks it. The write-ahead log is one sequence.
 * So a later commit that the server confirms proves that every commit before it is as durable as the server promises.
 */
public final class CommitBarrier {
    /** Writes to the log but changes no row, so it waits for no lock. */
    private static final String SMALLEST_COMMIT = "select pg_catalog.pg_logical_emit_message(true, 'twinbell', '')";

    /** The server routine that cancels the wait; the text of its message depends on the server's language. */
    private static final String WAIT_FOR_REPLICA = "SyncRepWaitForLSN";

    private static final String UNKNOWN_RESOLUTION = "08007";

    private CommitBarrier() {}

    /**
     * Makes an empty commit. When this returns, everything that the connection can read is as durable as a confirmed
     * commit.
     *
     * @param connection in auto-commit mode
     * @throws SQLException if the commit is not confirmed
     */
    public static void pass(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(SMALLEST_COMMIT);
            requireConfirmed(statement);
        }
    }

    /**
     * Checks, after an auto-commit statement, that its wait for the replica was not cancelled.
     *
     * @throws SQLException with the SQL state of a transaction whose outcome is unknown, if it was
     */
    public static void requireConfirmed(Statement statement) throws SQLException {
        for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            if (isCancelledWait(warning)) {
                throw new SQLException(
                        "the wait for the synchronous replica was cancelled, so the commit may exist on the primary only",
                        UNKNOWN_RESOLUTION);
            }
        }
    }

    private static boolean isCancelledWait(SQLWarning warning) {
        ServerErrorMessage message = warning instanceof PSQLWarning ours ? ours.getServerErrorMessage() : null;
        return message != null && WAIT_FOR_REPLICA.equals(message.getRoutine());
    }
}
