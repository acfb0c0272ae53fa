package io.twinbell.spring.transaction;

import java.sql.Connection;
import java.util.concurrent.Callable;

/** A resource of a thread that takes part in a joined transaction, beside its connection. */
interface JoinedResource {
    /** Makes such resources. */
    @FunctionalInterface
    interface Source {
        /** Opens one on the connection, and binds it to the thread. */
        JoinedResource open(Connection connection);
    }

    /** Whether something that took part in the transaction has marked it for rollback. */
    boolean isRollbackOnly();

    /**
     * Writes what is pending, commits, and then acts as after a commit.
     *
     * @param commit commits the transaction itself
     * @throws Exception if nothing was committed, or the exception of {@code commit}
     */
    void commit(Callable<Boolean> commit) throws Exception;

    /** Ends it, as after a rollback unless it has been committed, and unbinds it. Nothing is written. */
    void release();
}
