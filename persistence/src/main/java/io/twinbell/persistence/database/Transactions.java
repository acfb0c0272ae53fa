package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Runs work on a pooled connection, in one transaction: all of it is stored, or nothing. */
public final class Transactions {
    private static final int TRIES = 5;

    private final DataSource pool;

    public Transactions(DataSource pool) {
        this.pool = pool;
    }

    /**
     * A transaction that PostgreSQL ended in favour of another (deadlock, serialization) is run again, so {@code work}
     * must have no effect outside of its connection.
     *
     * @param purpose said in the error, for example "store a task"
     * @throws DatabaseUnavailableException if it was not committed, or the connection broke before the answer
     */
    public <T> T run(String purpose, SqlWork<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return once(work);
            } catch (SQLException e) {
                if (attempt == TRIES || !wasSacrificed(e)) {
                    throw new DatabaseUnavailableException(purpose, e);
                }
            }
        }
    }

    private <T> T once(SqlWork<T> work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T result = work.with(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(connection, e);
                throw e;
            }
        }
    }

    private static void rollBack(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private static boolean wasSacrificed(SQLException e) {
        return e.getSQLState() != null && e.getSQLState().startsWith("40");
    }
}
