package io.twinbell.receiver;

import java.sql.Connection;
import javax.sql.DataSource;

/** Begins and ends the transactions of a receiver. */
public interface CallTransactions {
    /** Work on an open transaction. */
    @FunctionalInterface
    interface CallWork<T> {
        T run(Connection connection) throws Exception;
    }

    /**
     * Runs the work in a new transaction with the isolation level READ COMMITTED. Commits when it returns, and rolls back
     * when it throws.
     */
    <T> T inTransaction(CallWork<T> work) throws Exception;

    /** Returns transactions on connections of this data source, one connection for each. */
    static CallTransactions of(DataSource dataSource) {
        return new JdbcTransactions(dataSource);
    }
}
