package io.twinbell.node.engine;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Lets the workers begin what thousands share one instant before its outcomes are recorded: both want the same processors,
 * and only a start can be late. It does so for a while at most, since what has ended should be durable soon; and not for a
 * backlog, which is late in any case and is done the sooner the more goes on at once.
 */
final class CrowdFirst {
    static final Duration LONGEST = Duration.ofMillis(20);
    /** So many runs that wait for a worker are a crowd. */
    private static final int MANY = 100;

    private static final long LOOK_AGAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final LongSupplier step;
    private final BooleanSupplier isCrowd;
    private final Ticker ticker;
    private boolean givesWay;
    private long sinceNanos;

    /**
     * @param step records; returns how long to sleep, in nanoseconds
     * @param isCrowd whether many runs that have just come due wait for a worker
     */
    CrowdFirst(LongSupplier step, BooleanSupplier isCrowd, Ticker ticker) {
        this.step = step;
        this.isCrowd = isCrowd;
        this.ticker = ticker;
    }

    static CrowdFirst recording(Outcomes outcomes, Trigger trigger, WorkerCounts workers, Ticker ticker) {
        Gathering gathering = new Gathering(outcomes::step, outcomes::isFull, ticker);
        BooleanSupplier isCrowd = () -> trigger.startsOnTime() && (trigger.isStarting() || workers.queued() >= MANY);
        return new CrowdFirst(gathering::step, isCrowd, ticker);
    }

    /** As the step that it was made of. */
    long step() {
        if (!isCrowd.getAsBoolean()) {
            givesWay = false;
            return step.getAsLong();
        }
        long now = ticker.nanos();
        if (!givesWay) {
            givesWay = true;
            sinceNanos = now;
        }
        return now - sinceNanos < LONGEST.toNanos() ? LOOK_AGAIN_NANOS : step.getAsLong();
    }
}
