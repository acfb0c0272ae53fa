package io.twinbell.node.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits for a signal of another thread; false if it does not come. */
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

    /** Waits for what need not come: where a lock rightly keeps it away, the wait ends by itself. */
    public static void briefly(CountDownLatch signal) {
        try {
            signal.await(100, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As a handler that ignores interrupts would: it hogs its thread until the signal. */
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
