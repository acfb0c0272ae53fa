package io.twinbell.receiver;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Transactions without a framework. */
final class JdbcTransactions implements CallTransactions {
    private final DataSource dataSource;

    JdbcTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public <T> T inTransaction(CallWork<T> work) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            boolean wasAutoCommit = connection.getAutoCommit();
            int isolation = connection.getTransactionIsolation();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            T result;
            try {
                result = work.run(connection);
                connection.commit();
            } catch (Throwable e) {
                // Auto-commit is switched on only after a successful roll-back: otherwise it would commit the work.
                if (isRolledBack(connection, e)) {
                    restore(connection, wasAutoCommit, isolation);
                }
                throw e;
            }
            restore(connection, wasAutoCommit, isolation);
            return result;
        }
    }

    private static boolean isRolledBack(Connection connection, Throwable cause) {
        try {
            connection.rollback();
            return true;
        } catch (SQLException e) {
            cause.addSuppressed(e);
            return false;
        }
    }

    /** A connection that cannot be restored is broken, and its pool finds that out. */
    private static void restore(Connection connection, boolean wasAutoCommit, int isolation) {
        try {
            connection.setAutoCommit(wasAutoCommit);
            connection.setTransactionIsolation(isolation);
        } catch (SQLException e) {
            System.getLogger(JdbcTransactions.class.getName())
                    .log(System.Logger.Level.DEBUG, "a connection could not be restored", e);
        }
    }
}
