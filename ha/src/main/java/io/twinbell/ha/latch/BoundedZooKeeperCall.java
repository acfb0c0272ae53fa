package io.twinbell.ha.latch;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls ZooKeeper and waits for the answer for a limited time. The client notices a hanging server only after most of
 * the session timeout. A thread that sends heartbeats or serves a request to hand over must not block that long.
 */
final class BoundedZooKeeperCall implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BoundedZooKeeperCall.class);
    private static final Duration BOUND = Duration.ofMillis(500);
    /** More than the callers that can ask at once: every request that the API admits, plus the step. */
    private static final int THREADS = 32;

    private static final Duration KEPT = Duration.ofSeconds(10);

    private final ThreadPoolExecutor executor;

    BoundedZooKeeperCall() {
        AtomicInteger number = new AtomicInteger();
        executor = new ThreadPoolExecutor(
                0, THREADS, KEPT.toMillis(), TimeUnit.MILLISECONDS, new SynchronousQueue<>(), work -> {
                    Thread thread = new Thread(work, "zookeeper-inquiry-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Returns the answer, or {@code otherwise} if there is none in time or the question failed. */
    <T> T ask(Callable<T> question, T otherwise) {
        try {
            Future<T> answer = executor.submit(question);
            try {
                return answer.get(BOUND.toNanos(), TimeUnit.NANOSECONDS);
            } finally {
                answer.cancel(true);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            LOG.debug("ZooKeeper did not respond", e);
        }
        return otherwise;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
