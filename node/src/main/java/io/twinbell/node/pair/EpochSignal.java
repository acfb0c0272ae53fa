package io.twinbell.node.pair;

import java.time.Duration;

/**
 * Wakes threads that wait for a change of the epoch or the role. They check again after a bound, so a missed signal
 * only costs time.
 */
final class EpochSignal {
    synchronized void signal() {
        notifyAll();
    }

    /** Waits for a signal, at most for {@code bound}; returns at once if the thread is interrupted. */
    synchronized void await(Duration bound) {
        try {
            wait(bound.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
