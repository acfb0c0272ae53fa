package io.twinbell.node.engine;

import io.twinbell.node.engine.step.BatchWindow;
import io.twinbell.node.engine.trigger.Burst;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Postpones a claim or an outcome write while a burst of runs starts. All of them compete for the same processors, and
 * only a start can be late. It gives way for {@link #LONGEST} and then not again for as long, because ended runs must
 * become durable soon. It does not give way to a backlog: a backlog is late in any case, and is done sooner the more
 * work proceeds in parallel.
 */
final class BurstYield {
    static final Duration LONGEST = Duration.ofMillis(20);

    /** Up to this many claims take only a few milliseconds. */
    static final int FEW = 500;
    /** A claim that is postponed for {@link #LONGEST}, and then takes that long, is still in time. */
    static final Duration YIELD_BEFORE = LONGEST.multipliedBy(2);

    private static final long LOOK_AGAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final LongSupplier step;
    private final Burst burst;
    private final BooleanSupplier presses;
    private final Ticker ticker;
    private boolean givesWay;
    private long sinceNanos;

    /**
     * @param step makes claims or records outcomes; returns how long to sleep, in nanoseconds
     * @param presses whether the step cannot wait
     */
    BurstYield(LongSupplier step, Burst burst, BooleanSupplier presses, Ticker ticker) {
        this.step = step;
        this.burst = burst;
        this.presses = presses;
        this.ticker = ticker;
        sinceNanos = ticker.nanos() - 2 * LONGEST.toNanos();
    }

    /**
     * Due slots wait in the inbox if they are few and not due for a while. Claims are made 50 ms ahead, and those of a
     * large burst earlier by the time they take, so the delay makes none late. Rows that wait in the ledger or for a
     * retry wait for the burst too.
     */
    static BurstYield claiming(LongSupplier step, Burst burst, DueInbox inbox, MeasuredClock clock, Ticker ticker) {
        return new BurstYield(
                step,
                burst,
                () -> inbox.size() > FEW || inbox.noneBeforeMillis() - clock.nowMillis() < YIELD_BEFORE.toMillis(),
                ticker);
    }

    static BurstYield recording(OutcomeRecorder outcomes, Burst burst, Ticker ticker) {
        BatchWindow batchWindow = new BatchWindow(outcomes::step, outcomes::isFull, ticker);
        return new BurstYield(batchWindow::step, burst, () -> false, ticker);
    }

    /** Runs the wrapped step, unless it is postponed now; returns how long to sleep, in nanoseconds. */
    long step() {
        return mayGiveWay() ? LOOK_AGAIN_NANOS : step.getAsLong();
    }

    private boolean mayGiveWay() {
        if (!burst.isActive() || presses.getAsBoolean()) {
            givesWay = false;
            return false;
        }
        long now = ticker.nanos();
        if (!givesWay && now - sinceNanos >= 2 * LONGEST.toNanos()) {
            givesWay = true;
            sinceNanos = now;
        }
        return givesWay && now - sinceNanos < LONGEST.toNanos();
    }
}
