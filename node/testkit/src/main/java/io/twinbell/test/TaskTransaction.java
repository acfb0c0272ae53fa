package io.twinbell.test;

import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.ExecutionView;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.PairUnavailableException;
import io.twinbell.client.StoredTask;
import io.twinbell.client.TaskRefusedException;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.virtual.VirtualChanges;
import io.twinbell.node.virtual.VirtualNode;
import io.twinbell.node.virtual.VirtualRefusalException;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.Slot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls that an application makes in one of its transactions, in virtual time. Each call is checked at once, and takes
 * effect when {@link #commit} is called. After a refused call all further ones fail with an {@link IllegalStateException}, as
 * after an error of PostgreSQL. A list of executions shows what was committed. One thread uses a transaction.
 */
public final class TaskTransaction implements JdbcTaskClient.TaskFunctions {
    private final VirtualNode node;
    private final VirtualChanges changes;
    private final boolean belongsToHandler;

    TaskTransaction(VirtualNode node, VirtualChanges changes, boolean belongsToHandler) {
        this.node = node;
        this.changes = changes;
        this.belongsToHandler = belongsToHandler;
    }

    /** Lets the calls take effect. Further calls begin the next transaction. That of a handler commits by itself. */
    public void commit() {
        if (!belongsToHandler) {
            changes.commit();
        }
    }

    /** The refusal after which this transaction can only roll back; empty if it may commit. */
    public Optional<String> refusal() {
        return changes.refusal().map(Throwable::getMessage);
    }

    /** Returns a point for {@link #rollBackTo}. */
    public Object savepoint() {
        return changes.savepoint();
    }

    /** Forgets the calls since then, also a refused one. */
    public void rollBackTo(Object savepoint) {
        changes.rollBackTo((VirtualChanges.Savepoint) savepoint);
    }

    @Override
    public JdbcTaskClient.AddedTasks add(List<String> tasks) {
        VirtualChanges.Added added = translated(() -> changes.add(tasks));
        List<StoredTask.StoreResult> results =
                added.results().stream().map(StoredTask.StoreResult::valueOf).toList();
        return new JdbcTaskClient.AddedTasks(added.ids(), results, added.warnings());
    }

    @Override
    public boolean cancel(String app, String name) {
        return translated(() -> changes.cancel(app, name));
    }

    @Override
    public List<ExecutionView> list(String app, ExecutionSelection which, int most, String after) {
        ExecutionPage page = new ExecutionPage(after == null ? null : slot(after), most, false, false);
        ExecutionFilter filter = filter(app, which);
        return translated(() -> node.executions(filter, page)).stream()
                .map(ExecutionView::of)
                .toList();
    }

    @Override
    public ExecutionView rerun(String executionId, String reason) {
        return ExecutionView.of(translated(() -> changes.rerun(executionId, reason)));
    }

    @Override
    public int rerunAll(String app, ExecutionSelection which, String reason) {
        ExecutionFilter filter = filter(app, which);
        return translated(() -> changes.rerunAll(filter, reason));
    }

    private static <T> T translated(Supplier<T> call) {
        try {
            return call.get();
        } catch (VirtualRefusalException e) {
            throw new TaskRefusedException(e.status(), e.getMessage());
        } catch (DatabaseUnavailableException e) {
            throw new PairUnavailableException(e.getMessage());
        }
    }

    private static Slot slot(String id) {
        return ExecutionJson.slot(id)
                .orElseThrow(() -> new TaskRefusedException(400, "\"" + id + "\" is not the id of an execution"));
    }

    private static ExecutionFilter filter(String app, ExecutionSelection which) {
        try {
            return ExecutionFilter.ofApp(
                    app, which.task(), which.states(), millis(which.from()), millis(which.until()), which.errorCode());
        } catch (IllegalArgumentException e) {
            throw new TaskRefusedException(400, e.getMessage());
        }
    }

    private static Long millis(Instant instant) {
        return instant == null ? null : instant.toEpochMilli();
    }

    /** Calls in virtual time that are a transaction each, unless they belong to that of a handler. */
    record MemoryFunctions(Supplier<TaskTransaction> begin) implements JdbcTaskClient.TaskFunctions {
        private <T> T committed(Function<TaskTransaction, T> call) {
            TaskTransaction transaction = begin.get();
            T result = call.apply(transaction);
            transaction.commit();
            return result;
        }

        @Override
        public JdbcTaskClient.AddedTasks add(List<String> tasks) {
            return committed(transaction -> transaction.add(tasks));
        }

        @Override
        public boolean cancel(String app, String name) {
            return committed(transaction -> transaction.cancel(app, name));
        }

        @Override
        public List<ExecutionView> list(String app, ExecutionSelection which, int most, String after) {
            return committed(transaction -> transaction.list(app, which, most, after));
        }

        @Override
        public ExecutionView rerun(String executionId, String reason) {
            return committed(transaction -> transaction.rerun(executionId, reason));
        }

        @Override
        public int rerunAll(String app, ExecutionSelection which, String reason) {
            return committed(transaction -> transaction.rerunAll(app, which, reason));
        }
    }
}
