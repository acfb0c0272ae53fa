package io.twinbell.handler;

import java.sql.Connection;
import java.sql.SQLException;

/** The context of a {@link TransactionalHandler}: describes the slot and provides the database connection. */
public interface TransactionContext extends TaskContext {
    /**
     * The connection of the completing transaction, with the search path {@code public}. The transaction ends when the
     * handler returns: commit, rollback (except to a savepoint) and close are refused.
     */
    Connection connection();

    /**
     * Commits now, in place of the commit after the handler has returned: the execution is SUCCEEDED with this output.
     * It is for code that acts after the commit. From then on the connection runs no statement, and what the handler
     * returns or throws does not change the outcome. Only the handler's thread may call it, and only once.
     *
     * @param output stored as its {@code toString()}, in place of the handler's result; may be null
     * @return false if everything was rolled back, because the execution has ended, or belongs to another node since a
     *     failover
     * @throws SQLException if a statement of the commit fails, such as the check of a deferred constraint. If it is the
     *     connection that fails, only the ledger knows whether the commit took effect
     * @throws IllegalStateException if it was called before, or the output is a {@code CompletionStage}
     */
    boolean commit(Object output) throws SQLException;
}
