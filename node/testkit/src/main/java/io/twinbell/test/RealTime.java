package io.twinbell.test;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits in real time. */
final class RealTime {
    private static final Duration POLL = Duration.ofMillis(20);

    private RealTime() {}

    static void pass(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        await(() -> System.nanoTime() >= end, duration.plus(POLL));
    }

    /**
     * Waits for a condition.
     *
     * @throws IllegalStateException if it does not hold in time
     */
    static void require(Supplier<String> what, BooleanSupplier condition, Duration patience) {
        if (!await(condition, patience)) {
            throw new IllegalStateException(what.get() + ", not within " + patience);
        }
    }

    /** Returns whether the condition held in time. */
    static boolean await(BooleanSupplier condition, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the test was interrupted while it waited");
            }
            if (System.nanoTime() >= end) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return true;
    }
}
