package io.twinbell.node.schedule.custom;

import io.twinbell.node.engine.task.ScheduleTypeException;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls the code of one schedule type on two threads of its own, so that code that hangs or is slow holds up its caller
 * only briefly. After a call that takes too long, or many slow calls in a row, all calls fail at once for a while.
 */
final class BoundedCalls implements AutoCloseable {
    static final Duration LONGEST_CALL = Duration.ofMillis(200);
    static final Duration BLOCKED = Duration.ofSeconds(10);

    /** A call that takes longer counts as slow. */
    private static final long SLOW_NANOS = Duration.ofMillis(20).toNanos();

    /** How much time slow calls may take in a row. */
    private static final long SLOW_BUDGET_NANOS = Duration.ofMillis(500).toNanos();

    private static final int THREADS = 2;
    private static final int QUEUE = 100;

    private final String type;
    private final Ticker ticker;
    private final ThreadPoolExecutor threads;
    private Blocking blocking;
    private long slowNanos;

    private record Blocking(long sinceNanos, String reason) {}

    BoundedCalls(String type, Ticker ticker) {
        this.type = type;
        this.ticker = ticker;
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(QUEUE), this::thread);
        threads.allowCoreThreadTimeOut(true);
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "schedule-type-" + type);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Returns the result of the call.
     *
     * @throws IllegalArgumentException if the call throws it
     * @throws ScheduleTypeException if the call fails otherwise, takes too long, or is not tried
     */
    <T> T call(String method, Callable<T> call) {
        refuseWhileBlocked();
        long began = ticker.nanos();
        Future<T> future;
        try {
            future = threads.submit(call);
        } catch (RejectedExecutionException e) {
            throw failure("its threads are busy");
        }
        try {
            T result = future.get(LONGEST_CALL.toMillis(), TimeUnit.MILLISECONDS);
            took(ticker.nanos() - began);
            return result;
        } catch (TimeoutException e) {
            future.cancel(true);
            String reason = method + " took more than " + LONGEST_CALL.toMillis() + " ms";
            block(reason);
            throw failure(reason);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IllegalArgumentException invalid) {
                throw invalid;
            }
            if (e.getCause() instanceof ScheduleTypeException known) {
                throw known;
            }
            throw failure(method + " threw " + e.getCause());
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw failure("the call was interrupted");
        }
    }

    ScheduleTypeException failure(String what) {
        return new ScheduleTypeException("the schedule type \"" + type + "\" fails: " + what);
    }

    private synchronized void refuseWhileBlocked() {
        if (blocking != null && ticker.nanos() - blocking.sinceNanos() < BLOCKED.toNanos()) {
            throw failure(blocking.reason() + "; it is called again after " + BLOCKED.toSeconds() + " s");
        }
        blocking = null;
    }

    private synchronized void block(String reason) {
        blocking = new Blocking(ticker.nanos(), reason);
        slowNanos = 0;
    }

    private synchronized void took(long nanos) {
        slowNanos = nanos > SLOW_NANOS ? slowNanos + nanos : 0;
        if (slowNanos > SLOW_BUDGET_NANOS) {
            block("its calls take more than " + Duration.ofNanos(SLOW_NANOS).toMillis() + " ms each");
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
