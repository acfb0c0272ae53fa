package io.twinbell.persistence.ledger.transaction;

import java.sql.Connection;

/** Work of a handler in the transaction that also completes its execution. */
@FunctionalInterface
public interface TransactionWork {
    /**
     * Does the work on a connection that only its owner commits, rolls back and closes.
     *
     * @return the execution's output, or null
     * @throws Exception any failure; everything is rolled back then
     */
    String with(Connection connection) throws Exception;
}
