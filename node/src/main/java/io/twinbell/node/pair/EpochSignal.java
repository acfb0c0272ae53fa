package io.twinbell.node.pair;

import java.time.Duration;

/** Lets somebody wait for news of the epoch. Whoever waits looks again after the bound, so missed news is only late. */
final class EpochSignal {
    synchronized void tell() {
        notifyAll();
    }

    /** Waits for news, or until the bound is over; returns at once if the thread is interrupted. */
    synchronized void await(Duration bound) {
        try {
            wait(bound.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
