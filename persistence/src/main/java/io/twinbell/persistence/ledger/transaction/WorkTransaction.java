package io.twinbell.persistence.ledger.transaction;

import java.sql.Connection;
import java.sql.SQLException;

/** The transaction that a {@link TransactionWork} runs in. Only the thread of the work may use it. */
public interface WorkTransaction {
    /** A connection that only its owner commits, rolls back and closes. After {@link #commit} it refuses each call. */
    Connection connection();

    /**
     * Commits now, in place of the commit after the work has returned. What the work returns or throws afterwards changes
     * nothing.
     *
     * @param output the execution's output, or null
     * @return false if everything was rolled back, because the execution has ended or belongs to another node
     * @throws SQLException if the commit fails. If it is the connection that fails, only the ledger knows whether the commit
     *     took effect
     * @throws IllegalStateException if it was called before
     */
    boolean commit(String output) throws SQLException;
}
