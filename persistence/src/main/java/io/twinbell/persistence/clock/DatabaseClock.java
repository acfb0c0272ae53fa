package io.twinbell.persistence.clock;

/** The clock that fire times are measured by: the database's clock, as this node last measured it. */
@FunctionalInterface
public interface DatabaseClock {
    /** Now, in milliseconds since 1970 UTC, without touching the network. */
    long nowMillis();

    /** Now in microseconds, at the resolution of the clock. */
    default long nowMicros() {
        return nowMillis() * 1000;
    }
}
