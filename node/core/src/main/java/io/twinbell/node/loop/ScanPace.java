package io.twinbell.node.loop;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Bounds the share of time that a repeated scan takes. While a session keeps an old snapshot open, vacuum cannot remove
 * rows, so a scan for a few rows also passes over all dead rows. A slow scan is therefore repeated only after ten times
 * its duration. One thread only.
 */
public final class ScanPace {
    private static final Duration QUICK = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final int PAUSE_FACTOR = 10;

    private final Ticker ticker;
    private boolean isPaused;
    private long dueNanos;

    public ScanPace(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Whether the scan may run now. */
    public boolean isDue() {
        return !isPaused || ticker.nanos() - dueNanos >= 0;
    }

    /** Runs the scan, and determines when the next one is due. */
    public <T> T run(Supplier<T> scan) {
        long began = ticker.nanos();
        T found = scan.get();
        ranSince(began);
        return found;
    }

    /** Notes that a scan which began then has ended now. */
    public void ranSince(long beganNanos) {
        long now = ticker.nanos();
        long took = now - beganNanos;
        isPaused = took > QUICK.toNanos();
        dueNanos = now + Math.min(LONGEST_PAUSE.toNanos(), PAUSE_FACTOR * took);
    }

    /** Makes the scan due at once, because there is something new to find. */
    public void reset() {
        isPaused = false;
    }
}
