package io.twinbell.persistence.ledger;

import java.sql.Connection;

/** What is done in the transaction that completes its execution. */
@FunctionalInterface
public interface TransactionWork {
    /**
     * Works on a connection that only its owner commits, rolls back and closes.
     *
     * @return the execution's output, or null
     * @throws Exception whatever went wrong: everything is rolled back then
     */
    String with(Connection connection) throws Exception;
}
