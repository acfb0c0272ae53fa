package io.twinbell.node.engine;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Does something later, on one thread: timeouts of handlers, and starts that have to wait. */
final class Deadlines implements AutoCloseable {
    private final ScheduledThreadPoolExecutor executor;

    Deadlines() {
        executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "deadlines");
            thread.setDaemon(true);
            return thread;
        });
        // Most handlers end long before their time: what was cancelled must not pile up.
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    Future<?> after(Duration delay, Runnable action) {
        return executor.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
