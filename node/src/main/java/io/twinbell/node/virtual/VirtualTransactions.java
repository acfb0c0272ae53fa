package io.twinbell.node.virtual;

import io.twinbell.handler.SnoozeException;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.jvm.JavaRunner;
import io.twinbell.node.handler.store.ApplicationTransaction;
import io.twinbell.node.handler.store.CompletingTransaction;
import io.twinbell.node.handler.store.TransactionWork;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Runs transactional handlers in transactions of the application's own database, at once and on the thread that advances
 * time. What such a handler enqueues takes effect when its transaction commits.
 */
final class VirtualTransactions implements JavaRunner.TransactionStart {
    private final DataSource database;
    private final Supplier<VirtualChanges> begin;
    private final ThreadLocal<VirtualChanges> current = new ThreadLocal<>();

    VirtualTransactions(DataSource database, Supplier<VirtualChanges> begin) {
        this.database = database;
        this.begin = begin;
    }

    /** The changes of the handler's transaction that this thread runs; null if it runs none. */
    VirtualChanges current() {
        return current.get();
    }

    @Override
    public CompletionStage<HandlerOutcome> start(
            HandlerCall call, CompletingTransaction.TimeLimits limits, TransactionWork work) {
        VirtualChanges changes = begin.get();
        current.set(changes);
        try {
            AtomicReference<HandlerOutcome> outcome = new AtomicReference<>();
            ApplicationTransaction.run(database, work, () -> refuse(changes), output -> {
                changes.commit();
                current.remove();
                outcome.set(HandlerOutcome.succeeded(output));
            });
            return CompletableFuture.completedFuture(outcome.get());
        } catch (SnoozeException e) {
            return CompletableFuture.completedFuture(HandlerOutcome.snoozed(e.delay(), e.getMessage()));
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            current.remove();
        }
    }

    private static void refuse(VirtualChanges changes) {
        changes.refusal().ifPresent(refusal -> {
            throw new IllegalStateException(
                    "the transaction of this execution was refused a call, and PostgreSQL would not commit it: "
                            + refusal.getMessage(),
                    refusal);
        });
    }
}
