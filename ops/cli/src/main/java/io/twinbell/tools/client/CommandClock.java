package io.twinbell.tools.client;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The command line's only access to a real clock and to sleeping. */
public final class CommandClock {
    /** Nanoseconds of a monotonic clock. */
    public long nanos() {
        return System.nanoTime();
    }

    /** Microseconds since 1970 UTC by this machine's wall clock. */
    public long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** This machine's wall clock, in whole microseconds. */
    public Instant now() {
        return Instant.EPOCH.plus(wallMicros(), ChronoUnit.MICROS);
    }

    public Duration since(long start) {
        return Duration.ofNanos(nanos() - start);
    }

    /** Sleeps. Returns early, with the thread's interrupt status set, if the thread is interrupted. */
    public void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
