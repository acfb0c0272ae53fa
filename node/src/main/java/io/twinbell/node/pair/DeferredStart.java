package io.twinbell.node.pair;

import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Starts the threads of a joined node's background work once its first task has fired, or after a second. The work loads
 * classes and opens connections: it would compete for the processors with the promotion of a young process.
 */
final class DeferredStart implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final long IDLE_NANOS = Duration.ofHours(1).toNanos();

    private final Ticker ticker;
    private final StepThread thread;
    private volatile boolean hasFired;
    private long begunNanos;
    private final Deque<Stepper> waiting = new ArrayDeque<>();

    DeferredStart(Loop loop, Ticker ticker) {
        this.ticker = ticker;
        thread = new StepThread(loop, this::step);
    }

    /** @param threads started once, in their order, unless this is closed before */
    void begin(List<? extends Stepper> threads) {
        prepare(threads);
        thread.start();
    }

    /** Sets the threads to start and begins the delay. Tests call this without a thread, and step themselves. */
    synchronized void prepare(List<? extends Stepper> threads) {
        waiting.addAll(threads);
        begunNanos = ticker.nanos();
    }

    /** The node's first task has fired. Any thread. */
    void firstFired() {
        hasFired = true;
        thread.wake();
    }

    /** Starts the threads if it is time; returns how long to wait, in nanoseconds. */
    synchronized long step() {
        long left = LONGEST.toNanos() - (ticker.nanos() - begunNanos);
        if (!waiting.isEmpty() && !hasFired && left > 0) {
            return left;
        }
        while (!waiting.isEmpty()) {
            // Removed once it has started: if the system refuses a thread, the next step continues with that one.
            waiting.peek().start();
            waiting.remove();
        }
        return IDLE_NANOS;
    }

    @Override
    public void close() {
        thread.close();
    }
}
