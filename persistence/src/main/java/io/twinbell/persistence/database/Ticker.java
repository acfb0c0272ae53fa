package io.twinbell.persistence.database;

/** Monotonic time, for trust and durations: nanoseconds since an arbitrary origin, never set back. */
@FunctionalInterface
public interface Ticker {
    long nanos();

    /** The machine's own. */
    Ticker SYSTEM = System::nanoTime;
}
