package io.twinbell.ha.role;

import io.twinbell.persistence.database.Ticker;
import java.util.StringJoiner;

/** The steps of one way into a role, each with its duration in microseconds. */
final class PhaseTimer {
    private final Ticker ticker;
    private final long startedNanos;
    private final StringJoiner steps = new StringJoiner(",", "[", "]");
    private long lastNanos;

    PhaseTimer(Ticker ticker) {
        this(ticker, ticker.nanos());
    }

    PhaseTimer(Ticker ticker, long startedNanos) {
        this.ticker = ticker;
        this.startedNanos = startedNanos;
        lastNanos = startedNanos;
    }

    /** Ends a step; what comes next begins here. */
    void lap(String step) {
        lap(step, ticker.nanos());
    }

    /** Ends a step that was over at {@code now} already. */
    void lap(String step, long now) {
        steps.add("{\"step\":\"" + step + "\",\"micros\":" + (now - lastNanos) / 1000 + "}");
        lastNanos = now;
    }

    long millis() {
        return (ticker.nanos() - startedNanos) / 1_000_000;
    }

    String json() {
        return steps.toString();
    }
}
