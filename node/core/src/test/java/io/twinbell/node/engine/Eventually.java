package io.twinbell.node.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits for a signal of another thread. Returns false if none comes. */
public final class Eventually {
    private Eventually() {}

    public static boolean isOver(CountDownLatch signal) {
        try {
            return signal.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits briefly for a signal that a lock may rightly prevent. */
    public static void briefly(CountDownLatch signal) {
        try {
            signal.await(100, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the signal like a handler that ignores interrupts. */
    public static void stubbornlyFor(CountDownLatch signal) {
        while (true) {
            try {
                signal.await();
                return;
            } catch (InterruptedException e) {
                // Stubborn.
            }
        }
    }
}
