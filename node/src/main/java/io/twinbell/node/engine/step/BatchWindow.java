package io.twinbell.node.engine.step;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Lets a batch come together: what comes after a pause is dealt with at once, what comes soon after a batch waits for
 * the next. So little costs no time, and much costs few commits.
 */
public final class BatchWindow {
    private static final long NANOS = Duration.ofMillis(2).toNanos();

    private final LongSupplier step;
    private final BooleanSupplier isFull;
    private final Ticker ticker;
    private long nextNanos;

    /**
     * @param step deals with a batch; returns how long to sleep if nothing comes, in nanoseconds, and 0 after a batch
     * @param isFull whether there is a whole batch already
     */
    public BatchWindow(LongSupplier step, BooleanSupplier isFull, Ticker ticker) {
        this.step = step;
        this.isFull = isFull;
        this.ticker = ticker;
        nextNanos = ticker.nanos();
    }

    /** As the step that it was made of. */
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
