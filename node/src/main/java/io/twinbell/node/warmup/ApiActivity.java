package io.twinbell.node.warmup;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Tells whether clients are using this node now. A client that has just made a request is likely to make the next one,
 * because a program that stores its tasks does so in many calls. Any thread.
 */
final class ApiActivity {
    /**
     * The time without requests after which clients count as gone: several times as long as a program needs for its
     * next request.
     */
    static final Duration GONE_AFTER = Duration.ofMillis(500);

    private final BooleanSupplier isAsked;
    private final Ticker ticker;
    private boolean wasThere;
    private long latestNanos;

    /** @param isAsked whether a client is waiting for an answer of this node at this moment */
    ApiActivity(BooleanSupplier isAsked, Ticker ticker) {
        this.isAsked = isAsked;
        this.ticker = ticker;
    }

    /** Must be called often, because a request that begins and ends between two calls is not seen. */
    synchronized boolean isThere() {
        long now = ticker.nanos();
        if (isAsked.getAsBoolean()) {
            wasThere = true;
            latestNanos = now;
        }
        return wasThere && now - latestNanos < GONE_AFTER.toNanos();
    }
}
