package io.twinbell.spring.transaction;

import io.twinbell.handler.TransactionContext;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** One run of a handler, whose transaction is the current one of Spring on its thread. */
final class JoinedRun {
    /** The name of these transactions in Spring. One that suspends such a transaction has another name. */
    private static final String NAME = "twinbell.exactly-once";

    private static final String MARKED =
            "a @Transactional method, or a failed call of an entity manager, has marked the"
                    + " transaction of this execution for rollback";

    private static final Logger LOG = LoggerFactory.getLogger(JoinedTransactions.class);

    private final DataSource dataSource;
    private final TransactionContext context;
    private final ConnectionHolder joined;
    private final List<JoinedResource> resources = new ArrayList<>();
    private boolean isCompleting;
    private int outcome = TransactionSynchronization.STATUS_ROLLED_BACK;

    JoinedRun(DataSource dataSource, TransactionContext context) {
        this.dataSource = dataSource;
        this.context = context;
        joined = new ConnectionHolder(context.connection(), true);
        joined.setSynchronizedWithTransaction(true);
    }

    Object of(List<JoinedResource.Source> sources, JoinedWork work) throws Exception {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        TransactionSynchronizationManager.setCurrentTransactionName(NAME);
        TransactionSynchronizationManager.bindResource(dataSource, joined);
        try {
            for (JoinedResource.Source source : sources) {
                resources.add(source.open(context.connection()));
            }
            Object result = work.with(NoCommitContext.of(context));
            if (result instanceof CompletionStage) {
                // The node refuses it, and rolls back.
                return result;
            }
            // Now, because the text of an entity may need its entity manager.
            String output = result == null ? null : result.toString();
            complete(output);
            return output;
        } finally {
            end();
        }
    }

    private void complete(String output) throws Exception {
        TransactionSynchronizationUtils.triggerBeforeCommit(false);
        if (joined.isRollbackOnly() || resources.stream().anyMatch(JoinedResource::isRollbackOnly)) {
            throw new UnexpectedRollbackException(MARKED);
        }
        isCompleting = true;
        TransactionSynchronizationUtils.triggerBeforeCompletion();
        commit(0, output);
        if (outcome != TransactionSynchronization.STATUS_COMMITTED) {
            // Hibernate rolls back without an exception if it was marked meanwhile.
            throw new UnexpectedRollbackException(MARKED);
        }
    }

    /** Each resource commits around the next one, and the last one around the node: so all write before the commit. */
    private boolean commit(int next, String output) throws Exception {
        if (next < resources.size()) {
            resources.get(next).commit(() -> commit(next + 1, output));
            return true;
        }
        outcome = TransactionSynchronization.STATUS_UNKNOWN;
        if (!context.commit(output)) {
            outcome = TransactionSynchronization.STATUS_ROLLED_BACK;
            throw new UnexpectedRollbackException("the execution has ended, or belongs to another node");
        }
        outcome = TransactionSynchronization.STATUS_COMMITTED;
        return true;
    }

    private void end() {
        try {
            if (!isCompleting) {
                TransactionSynchronizationUtils.triggerBeforeCompletion();
            }
            resources.forEach(JoinedResource::release);
            TransactionSynchronizationManager.unbindResource(dataSource);
            // What a callback writes now is not part of the transaction.
            TransactionSynchronizationManager.setActualTransactionActive(false);
            TransactionSynchronizationManager.setCurrentTransactionName(null);
            if (outcome == TransactionSynchronization.STATUS_COMMITTED) {
                afterCommit();
            }
            List<TransactionSynchronization> callbacks = TransactionSynchronizationManager.getSynchronizations();
            TransactionSynchronizationManager.clearSynchronization();
            TransactionSynchronizationUtils.invokeAfterCompletion(callbacks, outcome);
        } finally {
            TransactionSynchronizationManager.unbindResourceIfPossible(dataSource);
            TransactionSynchronizationManager.clear();
        }
    }

    /** The execution has succeeded, whatever they do. */
    private void afterCommit() {
        try {
            TransactionSynchronizationUtils.triggerAfterCommit();
        } catch (RuntimeException e) {
            LOG.warn("a callback after the commit of {} failed", context.idempotencyKey(), e);
        }
    }

    /** The context of an execution as the application's method sees it, which must not commit. */
    private static final class NoCommitContext implements InvocationHandler {
        private final TransactionContext context;

        private NoCommitContext(TransactionContext context) {
            this.context = context;
        }

        static TransactionContext of(TransactionContext context) {
            return (TransactionContext) Proxy.newProxyInstance(
                    NoCommitContext.class.getClassLoader(),
                    new Class<?>[] {TransactionContext.class},
                    new NoCommitContext(context));
        }

        @Override
        public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("commit")) {
                throw new UnsupportedOperationException("commit must not be called by a method with exactlyOnce: its"
                        + " transaction is committed after it has returned. To act after the commit, register a"
                        + " TransactionSynchronization, or publish an event for a @TransactionalEventListener");
            }
            try {
                return method.invoke(context, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
