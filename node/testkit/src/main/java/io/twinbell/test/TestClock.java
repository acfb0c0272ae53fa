package io.twinbell.test;

import io.twinbell.node.virtual.VirtualNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Virtual time. It passes only in {@link #advance} and {@link #advanceTo}, on the caller's thread. Code under test that needs
 * the time may take this as its {@link InstantSource}.
 */
public final class TestClock implements InstantSource {
    private final VirtualNode node;

    TestClock(VirtualNode node) {
        this.node = node;
    }

    @Override
    public Instant instant() {
        return node.now();
    }

    /**
     * Lets time pass. Everything that is due by then runs, in order, before this returns.
     *
     * @param duration zero runs what is due now
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException if a handler calls this
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time does not go back: " + duration);
        }
        node.advance(duration);
    }

    /**
     * Lets time pass until this instant.
     *
     * @throws IllegalArgumentException if the instant has passed
     */
    public void advanceTo(Instant instant) {
        if (instant.isBefore(node.now())) {
            throw new IllegalArgumentException("time does not go back from " + node.now() + " to " + instant);
        }
        node.advance(Duration.between(node.now(), instant));
    }
}
