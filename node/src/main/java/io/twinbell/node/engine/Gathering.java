package io.twinbell.node.engine;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Lets a batch come together: what comes after a pause is dealt with at once, what comes soon after a batch waits for
 * the next. So little costs no time, and much costs few commits. While something more urgent wants the processors, nothing
 * is dealt with for a while.
 */
final class Gathering {
    private static final long NANOS = Duration.ofMillis(2).toNanos();
    private static final long MOST_NANOS = Duration.ofMillis(20).toNanos();

    private final LongSupplier step;
    private final BooleanSupplier isFull;
    private final BooleanSupplier isPressed;
    private final Ticker ticker;
    private long nextNanos;
    private boolean isGivingWay;
    private long gaveWayNanos;

    /**
     * @param step deals with a batch; returns how long to sleep if nothing comes, in nanoseconds, and 0 after a batch
     * @param isFull whether there is a whole batch already
     * @param isPressed whether there is something more urgent; for 20 ms at most it comes first
     */
    Gathering(LongSupplier step, BooleanSupplier isFull, BooleanSupplier isPressed, Ticker ticker) {
        this.step = step;
        this.isFull = isFull;
        this.isPressed = isPressed;
        this.ticker = ticker;
        nextNanos = ticker.nanos();
    }

    /** As the step that it was made of. */
    long step() {
        if (givesWay()) {
            return NANOS;
        }
        long early = nextNanos - ticker.nanos();
        if (early > 0 && early <= NANOS && !isFull.getAsBoolean()) {
            return early;
        }
        isGivingWay = false;
        long sleep = step.getAsLong();
        if (sleep == 0) {
            nextNanos = ticker.nanos() + NANOS;
        }
        return sleep;
    }

    private boolean givesWay() {
        if (!isPressed.getAsBoolean()) {
            isGivingWay = false;
            return false;
        }
        if (!isGivingWay) {
            isGivingWay = true;
            gaveWayNanos = ticker.nanos();
        }
        return ticker.nanos() - gaveWayNanos < MOST_NANOS;
    }
}
