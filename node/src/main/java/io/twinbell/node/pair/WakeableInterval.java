package io.twinbell.node.pair;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;

/** Something that is done at a fixed interval by a task that others may wake in between. */
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

    /** Also a little before its time, so that a task woken then need not come again at once. */
    boolean isDue() {
        return !done || ticker.nanos() - doneNanos >= every.toNanos() * 9 / 10;
    }

    void done() {
        done = true;
        doneNanos = ticker.nanos();
    }

    /** The delay, cut short if it would pass the time at which this is to be done again. */
    Duration cap(Duration delay) {
        Duration left = done ? every.minusNanos(ticker.nanos() - doneNanos) : Duration.ZERO;
        Duration due = left.compareTo(RETRY) < 0 ? RETRY : left;
        return due.compareTo(delay) < 0 ? due : delay;
    }
}
