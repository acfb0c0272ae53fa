package io.twinbell.ops.cli;

import java.time.Duration;

/** How a command waits and measures: the one place of the command line that knows a real clock. */
final class Pace {
    /** Nanoseconds of a clock that only goes forward. */
    public long nanos() {
        return System.nanoTime();
    }

    Duration since(long start) {
        return Duration.ofNanos(nanos() - start);
    }

    void rest(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
