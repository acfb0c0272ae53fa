package io.twinbell.spring;

import io.twinbell.handler.TransactionContext;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Lets handlers with {@code exactlyOnce} use the application's {@code DataSource} in the transaction that completes
 * their execution. While such a handler runs, its thread's connection of the {@code DataSource} is the one of that
 * transaction, and {@code @Transactional} methods take part in it.
 */
final class JoinedTransactions {
    /** The name of these transactions in Spring. One that suspends such a transaction has another name. */
    private static final String NAME = "twinbell.exactly-once";

    private final DataSource dataSource;
    private final ObjectProvider<TransactionManager> managers;

    /** @param dataSource null if there is none */
    JoinedTransactions(DataSource dataSource, ObjectProvider<TransactionManager> managers) {
        this.dataSource = dataSource;
        this.managers = managers;
    }

    /**
     * Checks that the application's transactions are of a kind that can be joined.
     *
     * @throws StartRefusedException if not
     */
    void check(String method) {
        if (dataSource == null) {
            throw new StartRefusedException(
                    method + " is exactlyOnce, and the application has no DataSource",
                    "Add spring-boot-starter-jdbc and a DataSource of the node's database, or remove exactlyOnce.",
                    null);
        }
        for (TransactionManager manager : managers) {
            if (!(manager instanceof DataSourceTransactionManager)) {
                throw new StartRefusedException(
                        method + " is exactlyOnce, and a " + manager.getClass().getSimpleName()
                                + " cannot take part in the transaction of an execution: only a"
                                + " DataSourceTransactionManager (spring-boot-starter-jdbc) can",
                        "Remove exactlyOnce, and make the handler idempotent by the context's idempotencyKey().",
                        null);
            }
        }
    }

    Object run(TransactionContext context, Callable<Object> work) throws Exception {
        ConnectionHolder joined = new ConnectionHolder(context.connection(), true);
        joined.setSynchronizedWithTransaction(true);
        TransactionSynchronizationManager.bindResource(dataSource, joined);
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        TransactionSynchronizationManager.setCurrentTransactionName(NAME);
        int outcome = TransactionSynchronization.STATUS_ROLLED_BACK;
        try {
            Object result = work.call();
            TransactionSynchronizationUtils.triggerBeforeCommit(false);
            if (joined.isRollbackOnly()) {
                throw new UnexpectedRollbackException(
                        "a @Transactional method has marked the transaction of this execution for rollback");
            }
            // The commit follows after the handler has returned.
            outcome = TransactionSynchronization.STATUS_UNKNOWN;
            return result;
        } finally {
            end(outcome);
        }
    }

    private void end(int outcome) {
        try {
            TransactionSynchronizationUtils.triggerBeforeCompletion();
            TransactionSynchronizationUtils.triggerAfterCompletion(outcome);
        } finally {
            TransactionSynchronizationManager.unbindResource(dataSource);
            TransactionSynchronizationManager.clear();
        }
    }
}
