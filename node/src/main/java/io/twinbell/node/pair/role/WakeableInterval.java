package io.twinbell.node.pair.role;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;

/** A fixed interval for work inside a task that may also be woken between two runs of this work. */
final class WakeableInterval {
    private static final Duration RETRY = Duration.ofMillis(200);

    private final Ticker ticker;
    private final Duration every;
    private boolean done;
    private long doneNanos;

    WakeableInterval(Ticker ticker, Duration every) {
        this.ticker = ticker;
        this.every = every;
    }

    /**
     * Whether the work is due. It is due slightly early, so that a task woken shortly before need not run again at
     * once.
     */
    boolean isDue() {
        return !done || ticker.nanos() - doneNanos >= every.toNanos() * 9 / 10;
    }

    void done() {
        done = true;
        doneNanos = ticker.nanos();
    }

    /** Makes the work due in about this time, instead of at once. */
    void putOff(Duration time) {
        done = true;
        doneNanos = ticker.nanos() - every.toNanos() + time.toNanos();
    }

    /** Returns the delay, shortened if the work would become due within it. */
    Duration cap(Duration delay) {
        Duration left = done ? every.minusNanos(ticker.nanos() - doneNanos) : Duration.ZERO;
        Duration due = left.compareTo(RETRY) < 0 ? RETRY : left;
        return due.compareTo(delay) < 0 ? due : delay;
    }
}
