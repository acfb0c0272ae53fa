package io.twinbell.node.upkeep;

import io.twinbell.node.execution.PeriodicQuery;
import io.twinbell.node.execution.store.SlotsInDoubt;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.function.ToLongFunction;

/**
 * Counts every 5 s the slots in doubt that successors recorded in the last 24 hours, for the node's status. A slot in
 * doubt may have run before its row was lost with the database's primary.
 */
public final class DoubtCount {
    /** Older slots in doubt are not counted; they are listed on request. */
    public static final Duration SHOWN = Duration.ofHours(24);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

    private final ToLongFunction<Duration> count;
    private final PeriodicQuery look;
    private volatile long slots;

    /** @param count the number of slots found within a duration, as of {@link SlotsInDoubt#found} */
    public DoubtCount(ToLongFunction<Duration> count, Ticker ticker, Loop loop) {
        this.count = count;
        look = new PeriodicQuery(BETWEEN_LOOKS, ticker, loop);
    }

    /** Counts if it is due; returns how long until then, in nanoseconds. */
    public long step() {
        return look.step(() -> slots = count.applyAsLong(SHOWN));
    }

    /** The number at the last count. */
    public long slots() {
        return slots;
    }
}
