package io.twinbell.spring.test;

import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.ExecutionView;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.test.TaskTransaction;
import io.twinbell.test.TestScheduler;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets the calls of a client take part in the transactions of the application. A task exists after the commit, and not after
 * a rollback. A transaction that was refused a call cannot commit, as with PostgreSQL.
 */
final class TransactionalFunctions implements JdbcTaskClient.TaskFunctions {
    /** The name that the starter gives the transaction of an exactly-once handler; one that suspends it has another. */
    private static final String EXACTLY_ONCE = "twinbell.exactly-once";

    private final TestScheduler scheduler;

    TransactionalFunctions(TestScheduler scheduler) {
        this.scheduler = scheduler;
    }

    private <T> T call(Function<TaskTransaction, T> call) {
        if (EXACTLY_ONCE.equals(TransactionSynchronizationManager.getCurrentTransactionName())) {
            Optional<TaskTransaction> ofHandler = scheduler.transactionOfHandler();
            if (ofHandler.isPresent()) {
                return call.apply(ofHandler.get());
            }
        }
        TaskTransaction current = ofApplication();
        if (current != null) {
            return call.apply(current);
        }
        TaskTransaction own = scheduler.transaction();
        T result = call.apply(own);
        own.commit();
        return result;
    }

    /** The calls in Spring's current transaction; null if there is none, or if it has committed. */
    private TaskTransaction ofApplication() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return null;
        }
        Participation participation = (Participation) TransactionSynchronizationManager.getResource(this);
        if (participation == null) {
            participation = new Participation(scheduler.transaction());
            TransactionSynchronizationManager.bindResource(this, participation);
            TransactionSynchronizationManager.registerSynchronization(participation);
        }
        return participation.hasCommitted ? null : participation.transaction;
    }

    @Override
    public JdbcTaskClient.AddedTasks add(List<String> tasks) {
        return call(transaction -> transaction.add(tasks));
    }

    @Override
    public boolean cancel(String app, String name) {
        return call(transaction -> transaction.cancel(app, name));
    }

    @Override
    public List<ExecutionView> list(String app, ExecutionSelection which, int most, String after) {
        return call(transaction -> transaction.list(app, which, most, after));
    }

    @Override
    public ExecutionView rerun(String executionId, String reason) {
        return call(transaction -> transaction.rerun(executionId, reason));
    }

    @Override
    public int rerunAll(String app, ExecutionSelection which, String reason) {
        return call(transaction -> transaction.rerunAll(app, which, reason));
    }

    /** The calls in one transaction of the application, which is the current one of its thread. */
    private final class Participation implements TransactionSynchronization {
        private final TaskTransaction transaction;
        private final Object start;
        private final Map<Object, Object> savepoints = new IdentityHashMap<>();
        private boolean hasCommitted;

        Participation(TaskTransaction transaction) {
            this.transaction = transaction;
            start = transaction.savepoint();
        }

        /** Before other synchronizations, which may look at the tasks after the commit. */
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResource(TransactionalFunctions.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(TransactionalFunctions.this, this);
        }

        /** A nested transaction begins. */
        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, transaction.savepoint());
        }

        /** A savepoint that is older than this object is older than all its calls. */
        @Override
        public void savepointRollback(Object savepoint) {
            transaction.rollBackTo(savepoints.getOrDefault(savepoint, start));
        }

        /** An exception of Spring's own for transactions would be taken for one of the commit itself, which needs no rollback. */
        @Override
        public void beforeCommit(boolean readOnly) {
            transaction.refusal().ifPresent(refusal -> {
                throw new IllegalStateException("a call of the JdbcTaskClient was refused in this transaction, which"
                        + " PostgreSQL does not commit then: " + refusal);
            });
        }

        @Override
        public void afterCommit() {
            hasCommitted = true;
            transaction.commit();
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(TransactionalFunctions.this);
        }
    }
}
