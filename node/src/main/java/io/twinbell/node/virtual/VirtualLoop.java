package io.twinbell.node.virtual;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** A loop in virtual time: it is stepped when it is woken, and when its sleep is over. */
final class VirtualLoop implements Steps.SteppedLoop {
    /** A loop that sleeps as long as this has nothing to do. */
    private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long AFTER_FAILURE_NANOS = Duration.ofMillis(200).toNanos();

    private final VirtualTimeline time;
    private final LongSupplier step;
    private boolean isWoken;
    private boolean isIdle;
    private long wakeNanos;

    VirtualLoop(VirtualTimeline time, LongSupplier step) {
        this.time = time;
        this.step = step;
    }

    @Override
    public void start() {
        isWoken = true;
        time.add(this);
    }

    @Override
    public void wake() {
        isWoken = true;
    }

    @Override
    public void close() {
        time.forget(this);
    }

    boolean isDue(long nowNanos) {
        return isWoken || wakeNanos <= nowNanos;
    }

    long wakeNanos() {
        return isWoken ? Long.MIN_VALUE : wakeNanos;
    }

    /** Whether the last step found nothing to do. */
    boolean isIdle() {
        return isIdle && !isWoken;
    }

    void step(long nowNanos) {
        isWoken = false;
        long sleep = sleepNanos();
        isIdle = sleep >= IDLE_NANOS;
        wakeNanos = sleep > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + sleep;
    }

    /**
     * Like the thread around a real loop, this tries again after a failure of the database. Any other failure fails the
     * test.
     */
    private long sleepNanos() {
        try {
            return step.getAsLong();
        } catch (DatabaseUnavailableException e) {
            return AFTER_FAILURE_NANOS;
        }
    }
}
