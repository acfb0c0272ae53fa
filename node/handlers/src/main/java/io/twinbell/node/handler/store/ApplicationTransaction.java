package io.twinbell.node.handler.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the work of a handler in a transaction of a database that is not Twinbell's, of any kind. In virtual time it takes the
 * place of a {@link CompletingTransaction}: the outcome is recorded in memory, right after the commit.
 */
public final class ApplicationTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(ApplicationTransaction.class);

    private ApplicationTransaction() {}

    /**
     * Runs the work and commits it.
     *
     * @param beforeCommit called after the work; an exception rolls everything back
     * @param afterCommit called with the output, which may be null, right after the commit
     * @throws Exception the exception of the work or of {@code beforeCommit}, or a {@link SQLException}; everything is
     *     rolled back then
     */
    public static void run(
            DataSource database, TransactionWork work, Runnable beforeCommit, Consumer<String> afterCommit)
            throws Exception {
        try (Connection open = database.getConnection()) {
            boolean wasAutoCommit = open.getAutoCommit();
            open.setAutoCommit(false);
            try {
                WorkTransaction.run(open, work, output -> {
                    beforeCommit.run();
                    open.commit();
                    afterCommit.accept(output);
                    return true;
                });
            } catch (Throwable e) {
                rollBack(open);
                throw e;
            } finally {
                open.setAutoCommit(wasAutoCommit);
            }
        }
    }

    private static void rollBack(Connection open) {
        try {
            open.rollback();
        } catch (SQLException e) {
            LOG.debug("rolling back the work of a handler failed", e);
        }
    }
}
