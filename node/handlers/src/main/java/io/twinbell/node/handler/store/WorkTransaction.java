package io.twinbell.node.handler.store;

import io.twinbell.persistence.database.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transaction that a {@link TransactionWork} runs in. It commits once: when the work asks for it, or after the work.
 * Only the thread of the work may use it.
 */
public final class WorkTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(WorkTransaction.class);

    private final LentConnection lent;
    private final Ending ending;
    private boolean hasEnded;
    private boolean hasCommitted;
    private Exception failure;

    /** Ends a transaction. */
    @FunctionalInterface
    interface Ending {
        /** Returns whether it has committed; otherwise it has rolled everything back. */
        boolean commit(String output) throws SQLException;
    }

    private WorkTransaction(Connection open, Ending ending) {
        lent = LentConnection.of(SchemaName.original(open));
        this.ending = ending;
    }

    /**
     * Runs the work and commits.
     *
     * @throws Exception the exception of the work before the commit, or that of the commit
     */
    static void run(Connection open, TransactionWork work, Ending ending) throws Exception {
        WorkTransaction transaction = new WorkTransaction(open, ending);
        String output = null;
        try {
            output = work.with(transaction);
        } catch (Exception e) {
            if (!transaction.hasEnded) {
                throw e;
            }
            if (transaction.hasCommitted) {
                LOG.warn("a handler has failed after its commit, which changes nothing of its outcome", e);
            }
        }
        if (!transaction.hasEnded) {
            transaction.commit(output);
        }
        // The work may have caught it.
        if (transaction.failure != null) {
            throw transaction.failure;
        }
    }

    /** A connection that only its owner commits, rolls back and closes. After {@link #commit} it refuses each call. */
    public Connection connection() {
        return lent.connection();
    }

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
    public boolean commit(String output) throws SQLException {
        if (hasEnded) {
            throw new IllegalStateException("the transaction of this execution has ended already");
        }
        hasEnded = true;
        lent.end();
        try {
            hasCommitted = ending.commit(output);
            return hasCommitted;
        } catch (SQLException | RuntimeException e) {
            failure = e;
            throw e;
        }
    }
}
