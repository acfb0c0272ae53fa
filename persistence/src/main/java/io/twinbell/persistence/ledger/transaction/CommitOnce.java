package io.twinbell.persistence.ledger.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs work in an open transaction, and commits it once: when the work asks for it, or after the work. */
final class CommitOnce implements WorkTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(CommitOnce.class);

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

    private CommitOnce(Connection open, Ending ending) {
        lent = LentConnection.of(open);
        this.ending = ending;
    }

    /**
     * Runs the work and commits.
     *
     * @throws Exception the exception of the work before the commit, or that of the commit
     */
    static void run(Connection open, TransactionWork work, Ending ending) throws Exception {
        CommitOnce transaction = new CommitOnce(open, ending);
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

    @Override
    public Connection connection() {
        return lent.connection();
    }

    @Override
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
