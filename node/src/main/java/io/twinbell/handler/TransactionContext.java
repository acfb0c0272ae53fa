package io.twinbell.handler;

import java.sql.Connection;

/** What a {@link TransactionalHandler} is told, and the connection that it works on. */
public interface TransactionContext extends TaskContext {
    /**
     * The connection of the completing transaction, with the search path {@code public}. The transaction ends when the
     * handler returns: commit, rollback (but for one to a savepoint) and close are refused.
     */
    Connection connection();
}
