package io.twinbell.node.engine;

import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.ledger.SlotsInDoubt;
import java.time.Duration;
import java.util.function.ToLongFunction;

/** Counts every few seconds the slots that successors have named in doubt lately, for those who ask a node. */
public final class DoubtCount {
    /** After that they are shown only to those who ask for them. */
    public static final Duration SHOWN = Duration.ofHours(24);

    private static final long BETWEEN_LOOKS = Duration.ofSeconds(5).toNanos();

    private final ToLongFunction<Duration> count;
    private final Ticker ticker;
    private final Loop loop;
    private volatile long slots;
    private boolean hasLooked;
    private long lookedNanos;

    /** @param count of the slots that were found within a time, as {@link SlotsInDoubt#found} answers it */
    public DoubtCount(ToLongFunction<Duration> count, Ticker ticker, Loop loop) {
        this.count = count;
        this.ticker = ticker;
        this.loop = loop;
    }

    /** Looks if it is time to; returns how long until then, in nanoseconds. */
    public long step() {
        long since = ticker.nanos() - lookedNanos;
        if (hasLooked && since < BETWEEN_LOOKS) {
            return BETWEEN_LOOKS - since;
        }
        hasLooked = true;
        lookedNanos = ticker.nanos();
        loop.begin();
        try {
            slots = count.applyAsLong(SHOWN);
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
        } finally {
            loop.end();
        }
        return BETWEEN_LOOKS;
    }

    /** How many there were at the last look. */
    public long slots() {
        return slots;
    }
}
