package io.twinbell.persistence.testing;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Monotonic time that passes when a test says so. */
public final class HandTicker implements Ticker {
    private final AtomicLong nanos = new AtomicLong(1_000_000_000);

    public void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Override
    public long nanos() {
        return nanos.get();
    }
}
