package io.twinbell.node.engine.step;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Groups items that arrive within 2 ms into one batch. The first item after a pause is processed at once; items that
 * follow soon after a batch wait for the next. So a low load has no added latency, and a high load needs few commits.
 */
public final class BatchWindow {
    private static final long NANOS = Duration.ofMillis(2).toNanos();

    private final LongSupplier step;
    private final BooleanSupplier isFull;
    private final Ticker ticker;
    private long nextNanos;

    /**
     * @param step processes a batch; returns how long to sleep if nothing is added, in nanoseconds, and 0 after a batch
     * @param isFull whether there is a whole batch already
     */
    public BatchWindow(LongSupplier step, BooleanSupplier isFull, Ticker ticker) {
        this.step = step;
        this.isFull = isFull;
        this.ticker = ticker;
        nextNanos = ticker.nanos();
    }

    /** Runs the wrapped step, or waits for more items; returns how long to sleep, in nanoseconds. */
    public long step() {
        long early = nextNanos - ticker.nanos();
        if (early > 0 && early <= NANOS && !isFull.getAsBoolean()) {
            return early;
        }
        long sleep = step.getAsLong();
        if (sleep == 0) {
            nextNanos = ticker.nanos() + NANOS;
        }
        return sleep;
    }
}
