package io.twinbell.node.pair.role;

import java.time.Duration;

/**
 * Wakes threads that wait for a change of the epoch or the role. They check again after a bound, so a missed signal
 * only costs time.
 */
public final class EpochSignal {
    public synchronized void signal() {
        notifyAll();
    }

    /** Waits for a signal, at most for {@code bound}; returns at once if the thread is interrupted. */
    public synchronized void await(Duration bound) {
        try {
            wait(bound.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
