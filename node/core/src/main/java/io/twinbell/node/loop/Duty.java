package io.twinbell.node.loop;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;

/**
 * One of several duties of a thread. It has its own loop status, and pauses after a failure, so a duty that fails stops
 * no other duty of the thread.
 */
public final class Duty {
    private final Loop loop;
    private final Ticker ticker;
    private final long afterFailureNanos;
    private boolean isPaused;
    private long failedNanos;

    /** @param afterFailure how long the duty pauses after a failure */
    public Duty(Loop loop, Ticker ticker, Duration afterFailure) {
        this.loop = loop;
        this.ticker = ticker;
        afterFailureNanos = afterFailure.toNanos();
    }

    /** How long the duty still pauses after a failure, in nanoseconds; 0 if it may run. */
    public long pauseNanos() {
        return isPaused ? Math.max(0, failedNanos + afterFailureNanos - ticker.nanos()) : 0;
    }

    /**
     * Runs the work unless the duty pauses. An exception counts as a failure of the loop.
     *
     * @return whether the work was done
     */
    public boolean run(Runnable work) {
        if (pauseNanos() > 0) {
            return false;
        }
        boolean isDone = loop.run(work);
        isPaused = !isDone;
        failedNanos = ticker.nanos();
        return isDone;
    }

    /** Ends the pause and the series of failures, because there is nothing to do any more. */
    public void rest() {
        isPaused = false;
        loop.rest();
    }
}
