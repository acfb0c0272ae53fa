package io.twinbell.persistence.database;

/** Monotonic time, for trust and durations: nanoseconds since an arbitrary origin, never set back. */
@FunctionalInterface
public interface Ticker {
    long nanos();

    /** The machine's own. On most systems it stands still while the machine sleeps. */
    Ticker SYSTEM = System::nanoTime;

    /** One that goes on while the machine sleeps, where there is one: see {@link Uptime}. Dearer to read. */
    Ticker UPTIME = Uptime.ofTheMachine();
}
