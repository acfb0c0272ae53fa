package io.twinbell.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Virtual time. It passes only in {@link #advance} and {@link #advanceTo}, on the caller's thread. Code under test that needs
 * the time may take this as its {@link InstantSource}.
 */
public final class TestClock implements InstantSource {
    private final TestScheduler scheduler;

    TestClock(TestScheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public Instant instant() {
        return scheduler.now();
    }

    /**
     * Lets time pass. Everything that is due by then runs, in order, before this returns.
     *
     * @param duration zero runs what is due now
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException if a handler calls this
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time does not go back: " + duration);
        }
        scheduler.advance(duration);
    }

    /**
     * Lets time pass until this instant.
     *
     * @throws IllegalArgumentException if the instant has passed
     */
    public void advanceTo(Instant instant) {
        if (instant.isBefore(instant())) {
            throw new IllegalArgumentException("time does not go back from " + instant() + " to " + instant);
        }
        scheduler.advance(Duration.between(instant(), instant));
    }
}
