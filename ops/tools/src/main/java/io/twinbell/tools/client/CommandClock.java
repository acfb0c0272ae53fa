package io.twinbell.tools.client;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** How a command waits and measures: the one place of the command line that knows a real clock. */
public final class CommandClock {
    /** Nanoseconds of a clock that only goes forward. */
    public long nanos() {
        return System.nanoTime();
    }

    /** Microseconds since 1970 UTC by this machine's wall clock. */
    public long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    public Duration since(long start) {
        return Duration.ofNanos(nanos() - start);
    }

    /** Returns early, with the thread's interrupt set, when somebody interrupts it. */
    public void rest(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
