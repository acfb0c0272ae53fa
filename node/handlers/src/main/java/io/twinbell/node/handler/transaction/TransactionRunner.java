package io.twinbell.node.handler.transaction;

import io.twinbell.handler.SnoozeException;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.store.CompletingTransaction;
import io.twinbell.node.handler.store.CompletingTransactions;
import io.twinbell.node.handler.store.SqlStatements;
import io.twinbell.node.handler.store.TransactionWork;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs work in the transactions that complete its executions, on as many threads as there are connections. Work that
 * waits for a connection holds no worker. A thread that is stuck in its work is replaced.
 */
public final class TransactionRunner implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final int KEEP_SECONDS = 30;

    private final CompletingTransactions transactions;
    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor canceller;

    /** @param connections the maximum number of concurrent transactions */
    public TransactionRunner(CompletingTransactions transactions, int connections) {
        this.transactions = transactions;
        AtomicInteger number = new AtomicInteger();
        // The amount of waiting work is bounded where slots are claimed.
        threads = new ThreadPoolExecutor(
                connections,
                Integer.MAX_VALUE,
                KEEP_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> daemon(work, "sql-" + number.incrementAndGet()));
        threads.allowCoreThreadTimeOut(true);
        canceller = new ScheduledThreadPoolExecutor(1, work -> daemon(work, "sql-cancel"));
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Starts the work; cancelling the returned future ends the running statement and rolls everything back. */
    public CompletableFuture<HandlerOutcome> start(
            HandlerCall call, CompletingTransaction.TimeLimits limits, TransactionWork work) {
        return start(call, transactions.of(claimed(call), limits), work);
    }

    /** Starts the statements of a task, with restricted database rights. */
    CompletableFuture<HandlerOutcome> startRestricted(HandlerCall call, SqlStatements work) {
        return start(call, transactions.restricted(claimed(call), work.limits()), work);
    }

    private static CompletingTransaction.Claimed claimed(HandlerCall call) {
        return new CompletingTransaction.Claimed(call.epoch(), call.slot(), call.attempt(), call.startedMicros());
    }

    private CompletableFuture<HandlerOutcome> start(
            HandlerCall call, CompletingTransaction transaction, TransactionWork work) {
        RunningTransaction runningTransaction = new RunningTransaction(transaction, work);
        threads.execute(call.withLogContext(runningTransaction));
        runningTransaction.outcome.whenComplete((outcome, thrown) -> {
            if (runningTransaction.outcome.isCancelled()) {
                canceller.execute(runningTransaction::stop);
            }
        });
        return runningTransaction.outcome;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        canceller.shutdownNow();
    }

    private void addThreads(int more) {
        // Two of these at once would lose one change for good.
        synchronized (threads) {
            threads.setCorePoolSize(threads.getCorePoolSize() + more);
        }
    }

    private final class RunningTransaction implements Runnable {
        private final CompletingTransaction transaction;
        private final TransactionWork work;
        private final CompletableFuture<HandlerOutcome> outcome = new CompletableFuture<>();
        private String output;
        private Thread thread;
        private boolean isReplaced;

        RunningTransaction(CompletingTransaction transaction, TransactionWork work) {
            this.transaction = transaction;
            this.work = work;
        }

        @Override
        public void run() {
            if (!enter()) {
                return;
            }
            try {
                outcome.complete(said(transaction.run(open -> output = work.with(open))));
            } catch (Exception e) {
                fail(e);
            } catch (Error e) {
                outcome.completeExceptionally(e);
            } finally {
                leave();
            }
        }

        /** Reports the server's message if a statement fails, and the stack trace if code fails. */
        private void fail(Exception e) {
            if (e instanceof SnoozeException snooze) {
                outcome.complete(HandlerOutcome.snoozed(snooze.delay(), snooze.getMessage()));
            } else if (work instanceof SqlStatements && e.getMessage() != null) {
                outcome.complete(HandlerOutcome.failed(ErrorCodes.of(e), "rolled back: " + e.getMessage(), null));
            } else {
                outcome.completeExceptionally(e);
            }
        }

        private HandlerOutcome said(CompletingTransaction.Result result) {
            return switch (result) {
                case COMMITTED -> HandlerOutcome.committed(output);
                case SUPERSEDED ->
                    HandlerOutcome.failed(
                            ErrorCodes.SUPERSEDED, "rolled back: the epoch was superseded before the commit", null);
                case ENDED_BEFORE ->
                    HandlerOutcome.failed(
                            ErrorCodes.SUPERSEDED, "rolled back: the execution had ended before the commit", null);
            };
        }

        private synchronized boolean enter() {
            thread = Thread.currentThread();
            return !outcome.isDone();
        }

        private synchronized void leave() {
            thread = null;
            Thread.interrupted();
            if (isReplaced) {
                addThreads(-1);
            }
        }

        /** Ends the statement, then the thread, then the connection, and finally replaces a stuck thread. */
        void stop() {
            interrupt();
            transaction.cancel();
            canceller.schedule(
                    () -> {
                        transaction.abort();
                        replaceIfStuck();
                    },
                    GRACE.toMillis(),
                    TimeUnit.MILLISECONDS);
        }

        private synchronized void interrupt() {
            if (thread != null) {
                thread.interrupt();
            }
        }

        private synchronized void replaceIfStuck() {
            if (thread != null && !isReplaced) {
                isReplaced = true;
                addThreads(1);
            }
        }
    }
}
