package io.twinbell.persistence.database;

import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.actor.ChainRefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import javax.sql.DataSource;

/** Runs work in one transaction, its own or its caller's: everything is stored, or nothing. */
public final class Transactions {
    private static final int TRIES = 5;
    /** SQL states: deadlock and serialization failure. */
    private static final String CONFLICTS = "40";

    private final DataSource pool;
    private final Connection callers;

    /** Runs each work in its own transaction, on a connection of the pool. */
    public Transactions(DataSource pool) {
        this(pool, null);
    }

    private Transactions(DataSource pool, Connection callers) {
        this.pool = pool;
        this.callers = callers;
    }

    /**
     * Runs each work as part of the transaction that the caller has open on this connection. The caller commits it or
     * rolls it back; work that fails is undone alone.
     */
    public static Transactions within(Connection callers) {
        return new Transactions(null, callers);
    }

    /**
     * Runs work in a transaction. If PostgreSQL ends the transaction in favour of another (deadlock, serialization), it
     * is run again, so {@code work} must have no effect outside its connection. A transaction of the caller is not run
     * again.
     *
     * @param purpose a part of the error message, for example "store a task"
     * @throws DatabaseUnavailableException if it was not committed, or the connection broke before the answer
     * @throws QuotaExceededException if it was refused because of a quota of an app
     * @throws ChainRefusedException if it was refused because of a chain
     */
    public <T> T run(String purpose, SqlWork<T> work) {
        if (callers != null) {
            return join(purpose, work);
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return once(work);
            } catch (SQLException e) {
                if (attempt == TRIES || !String.valueOf(e.getSQLState()).startsWith(CONFLICTS)) {
                    throw failure(purpose, e);
                }
            }
        }
    }

    private <T> T join(String purpose, SqlWork<T> work) {
        try {
            if (callers.getAutoCommit()) {
                throw new IllegalStateException("the connection is in auto-commit mode, so there is no transaction to "
                        + purpose + " in: call setAutoCommit(false) first");
            }
            Savepoint before = callers.setSavepoint();
            try {
                T result = work.with(callers);
                callers.releaseSavepoint(before);
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(callers, before, e);
                throw e;
            }
        } catch (SQLException e) {
            throw failure(purpose, e);
        }
    }

    private static RuntimeException failure(String purpose, SQLException cause) {
        return QuotaExceededException.of(cause)
                .or(() -> ChainRefusedException.of(cause))
                .orElseGet(() -> new DatabaseUnavailableException(purpose, cause));
    }

    /** @param before null to roll back the whole transaction */
    private static void rollBack(Connection connection, Savepoint before, Throwable cause) {
        try {
            if (before == null) {
                connection.rollback();
            } else {
                connection.rollback(before);
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private <T> T once(SqlWork<T> work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                Actor.state(connection);
                T result = work.with(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(connection, null, e);
                throw e;
            }
        }
    }
}
