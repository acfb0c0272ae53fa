package io.twinbell.ha.role;

import io.twinbell.persistence.clock.Ticker;
import java.util.StringJoiner;

/** Measures the phases of one role change, each in microseconds. */
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

    /** Ends the current phase and starts the next. */
    void lap(String step) {
        lap(step, ticker.nanos());
    }

    /** Ends a phase that was already over at {@code now}. */
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
