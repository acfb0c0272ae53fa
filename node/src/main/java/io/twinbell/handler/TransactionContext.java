package io.twinbell.handler;

import java.sql.Connection;

/** The context of a {@link TransactionalHandler}: describes the slot and provides the database connection. */
public interface TransactionContext extends TaskContext {
    /**
     * The connection of the completing transaction, with the search path {@code public}. The transaction ends when the
     * handler returns: commit, rollback (except to a savepoint) and close are refused.
     */
    Connection connection();
}
