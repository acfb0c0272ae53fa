package io.twinbell.client;

import java.time.Duration;
import java.time.Instant;

/** The only place of this package that reads clocks. */
final class CallClock {
    private CallClock() {}

    /** The application's clock, from which delays over HTTP count. */
    static Instant now() {
        return Instant.now();
    }

    static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    /** A monotonic instant. */
    record Deadline(long nanos) {
        long leftMillis() {
            return Math.max(0, (nanos - System.nanoTime()) / 1_000_000);
        }

        boolean isOver() {
            return leftMillis() == 0;
        }
    }
}
