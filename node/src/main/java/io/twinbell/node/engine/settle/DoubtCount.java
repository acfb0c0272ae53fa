package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.step.PeriodicQuery;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.ledger.SlotsInDoubt;
import java.time.Duration;
import java.util.function.ToLongFunction;

/** Counts every few seconds the slots that successors have named in doubt lately, for those who ask a node. */
public final class DoubtCount {
    /** After that they are shown only to those who ask for them. */
    public static final Duration SHOWN = Duration.ofHours(24);

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

    private final ToLongFunction<Duration> count;
    private final PeriodicQuery look;
    private volatile long slots;

    /** @param count of the slots that were found within a time, as {@link SlotsInDoubt#found} answers it */
    public DoubtCount(ToLongFunction<Duration> count, Ticker ticker, Loop loop) {
        this.count = count;
        look = new PeriodicQuery(BETWEEN_LOOKS, ticker, loop);
    }

    /** Looks if it is time to; returns how long until then, in nanoseconds. */
    public long step() {
        return look.step(() -> slots = count.applyAsLong(SHOWN));
    }

    /** How many there were at the last look. */
    public long slots() {
        return slots;
    }
}
