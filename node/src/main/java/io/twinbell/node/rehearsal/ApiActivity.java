package io.twinbell.node.rehearsal;

import io.twinbell.persistence.database.Ticker;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Whether somebody is there who waits for this node. Whoever has just asked is about to ask again: a program that stores its
 * tasks does so in many calls. Any thread.
 */
final class ApiActivity {
    /** Some times what a program needs to make its next request. */
    static final Duration GONE_AFTER = Duration.ofMillis(500);

    private final BooleanSupplier isAsked;
    private final Ticker ticker;
    private boolean wasThere;
    private long latestNanos;

    /** @param isAsked whether somebody waits for an answer of this node at this moment */
    ApiActivity(BooleanSupplier isAsked, Ticker ticker) {
        this.isAsked = isAsked;
        this.ticker = ticker;
    }

    /** To be asked often: who came and left in between was not seen. */
    synchronized boolean isThere() {
        long now = ticker.nanos();
        if (isAsked.getAsBoolean()) {
            wasThere = true;
            latestNanos = now;
        }
        return wasThere && now - latestNanos < GONE_AFTER.toNanos();
    }
}
