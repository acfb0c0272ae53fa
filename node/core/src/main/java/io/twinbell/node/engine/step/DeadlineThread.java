package io.twinbell.node.engine.step;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs all delayed actions on one thread. */
public final class DeadlineThread implements Deadlines {
    private final ScheduledThreadPoolExecutor executor;

    public DeadlineThread() {
        executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "deadlines");
            thread.setDaemon(true);
            return thread;
        });
        // Most handlers end long before their timeout, so cancelled actions must not accumulate.
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Future<?> after(Duration delay, Runnable action) {
        // The conversion returns the largest value instead of overflowing: a pause may end in more than 292 years.
        return executor.schedule(action, TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
