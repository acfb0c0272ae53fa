package io.twinbell.spring;

import io.opentelemetry.context.Context;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskHandler;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import org.slf4j.MDC;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Runs handlers on virtual threads. The node's worker is free again at once, so workers.maxInFlight bounds them. */
final class VirtualThreads {
    private final Executor executor;

    VirtualThreads() {
        if (Runtime.version().feature() < 21) {
            throw InvalidProperty.of(
                    "virtual-threads", true, "this is Java " + Runtime.version().feature() + ", and they need Java 21");
        }
        SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("twinbell-");
        threads.setVirtualThreads(true);
        executor = threads;
    }

    TaskHandler around(TaskHandler code) {
        return context -> start(code, context);
    }

    private CompletableFuture<Object> start(TaskHandler code, TaskContext context) {
        Map<String, String> log = MDC.getCopyOfContextMap();
        VirtualAttempt attempt = new VirtualAttempt();
        FutureTask<Void> task = new FutureTask<>(
                Context.current().wrap(() -> {
                    if (log != null) {
                        MDC.setContextMap(log);
                    }
                    attempt.run(code, context);
                }),
                null);
        attempt.task = task;
        executor.execute(task);
        return attempt;
    }

    /** The result of an attempt. Cancelling it interrupts the thread, which means "stop now" as on a worker. */
    private static final class VirtualAttempt extends CompletableFuture<Object> {
        private FutureTask<Void> task;

        void run(TaskHandler code, TaskContext context) {
            try {
                Object result = code.run(context);
                if (result instanceof CompletionStage<?> stage) {
                    follow(stage);
                } else {
                    complete(result);
                }
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        }

        private void follow(CompletionStage<?> stage) {
            stage.whenComplete((result, failure) -> {
                if (failure == null) {
                    complete(result);
                } else {
                    completeExceptionally(failure);
                }
            });
            whenComplete((result, failure) -> {
                if (isCancelled() && stage instanceof CompletableFuture<?> future) {
                    future.cancel(true);
                }
            });
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean isCancelled = super.cancel(mayInterrupt);
            task.cancel(true);
            return isCancelled;
        }
    }
}
