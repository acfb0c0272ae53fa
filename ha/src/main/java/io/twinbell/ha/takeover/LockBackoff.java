package io.twinbell.ha.takeover;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;

/**
 * The delay before this node tries again to take the master's lock. Each delay is twice the previous one, up to a
 * maximum. After a long time without a delay it starts again from the shortest.
 */
final class LockBackoff {
    private final Ticker ticker;
    private final Duration shortest;
    private final Duration longest;
    private Duration current = Duration.ZERO;
    private long begunNanos;

    LockBackoff(Ticker ticker, Duration shortest, Duration longest) {
        this.ticker = ticker;
        this.shortest = shortest;
        this.longest = longest;
    }

    void begin() {
        boolean isLongAgo = ticker.nanos() - begunNanos > current.plus(longest).toNanos();
        Duration doubled = current.multipliedBy(2);
        Duration next = current.isZero() || isLongAgo ? shortest : doubled;
        current = next.compareTo(longest) > 0 ? longest : next;
        begunNanos = ticker.nanos();
    }

    /** The rest of the current delay; zero if it is over. */
    Duration left() {
        Duration left = current.minusNanos(ticker.nanos() - begunNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
