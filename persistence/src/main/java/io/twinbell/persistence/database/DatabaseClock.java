package io.twinbell.persistence.database;

/** The one clock that fire times are measured by: the database's, as this node last measured it. */
@FunctionalInterface
public interface DatabaseClock {
    /** Now, in milliseconds since 1970 UTC, without touching the network. */
    long nowMillis();

    /** The same in microseconds, as fine as the clock is. */
    default long nowMicros() {
        return nowMillis() * 1000;
    }
}
