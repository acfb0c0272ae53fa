package io.twinbell.node.execution;

import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;

/** Runs a database query at an interval, as one of several jobs of a thread. */
public final class PeriodicQuery {
    private final long everyNanos;
    private final Ticker ticker;
    private final Loop loop;
    private boolean hasLooked;
    private long lookedNanos;

    public PeriodicQuery(Duration every, Ticker ticker, Loop loop) {
        everyNanos = every.toNanos();
        this.ticker = ticker;
        this.loop = loop;
    }

    /**
     * Runs the query if it is due. An exception counts as a failure of the loop, and does not stop the other jobs.
     *
     * @return how long until the next time, in nanoseconds
     */
    public long step(Runnable look) {
        long since = ticker.nanos() - lookedNanos;
        if (hasLooked && since < everyNanos) {
            return everyNanos - since;
        }
        hasLooked = true;
        lookedNanos = ticker.nanos();
        loop.run(look);
        return everyNanos;
    }
}
