package io.twinbell.node.pair;

import java.time.Duration;

/** Lets somebody wait for news of the epoch. */
final class EpochSignal {
    private long news;

    synchronized void tell() {
        news++;
        notifyAll();
    }

    /** Waits for news, or until the bound is over; returns at once if the thread is interrupted. */
    synchronized void await(Duration bound) {
        long before = news;
        try {
            if (news == before) {
                wait(bound.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
