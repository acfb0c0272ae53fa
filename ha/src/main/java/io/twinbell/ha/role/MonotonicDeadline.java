package io.twinbell.ha.role;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;

/** A time limit measured by the monotonic clock. */
final class MonotonicDeadline {
    private final Ticker ticker;
    private final long boundNanos;
    private boolean running;
    private long begunNanos;

    MonotonicDeadline(Ticker ticker, Duration bound) {
        this.ticker = ticker;
        boundNanos = bound.toNanos();
    }

    void begin() {
        running = true;
        begunNanos = ticker.nanos();
    }

    void end() {
        running = false;
    }

    boolean isRunning() {
        return running;
    }

    /** The time until it is over, but at most {@code longest}; {@code longest} if it does not run. */
    Duration left(Duration longest) {
        long nanos = boundNanos - (ticker.nanos() - begunNanos);
        return running && nanos < longest.toNanos() ? Duration.ofNanos(Math.max(0, nanos)) : longest;
    }

    boolean isOver() {
        return running && ticker.nanos() - begunNanos >= boundNanos;
    }

    /**
     * Starts when {@code condition} first holds and ends when it no longer holds. True once the condition has held for
     * the whole time limit.
     */
    boolean isOverWhenContinuous(boolean condition) {
        if (!condition) {
            end();
        } else if (!running) {
            begin();
        }
        return isOver();
    }
}
