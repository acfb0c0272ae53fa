package io.twinbell.persistence.clock;

/** A monotonic clock for trust and durations: nanoseconds since an arbitrary origin, never set back. */
@FunctionalInterface
public interface Ticker {
    long nanos();

    /** The machine's monotonic clock. On most systems it stops while the machine sleeps. */
    Ticker SYSTEM = System::nanoTime;

    /** A clock that continues while the machine sleeps, if there is one: see {@link Uptime}. Slower to read. */
    Ticker UPTIME = Uptime.ofTheMachine();
}
