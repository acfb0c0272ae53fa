package io.twinbell.node.engine;

import io.twinbell.node.engine.trigger.Burst;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.persistence.clock.DatabaseClock;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Forces a memory collection before a large burst is claimed, if memory would fill before the burst has run. Otherwise
 * the collection would probably happen while the burst starts. It would have to move everything that has been claimed,
 * and every run that has not started would wait for it. A burst that follows another within {@link #PAUSE} is claimed
 * without a collection.
 */
final class PreBurstGc {
    /** With fewer slots a collection has little to move. */
    static final int MIN_BURST = 1000;
    /**
     * No collection is forced if a slot is due sooner than this. Filling the free memory and collecting takes less than
     * half of it.
     */
    static final Duration AHEAD = Duration.ofMillis(20);
    /** Bytes allocated for a slot between claim and record: about 3.3 KB, rounded up. */
    static final long BYTES_PER_SLOT = 4096;
    /**
     * Shortest time between two collections. Where memory is nearly full, collecting before every claim would not help.
     */
    static final Duration PAUSE = Duration.ofMillis(500);

    private final LongSupplier step;
    private final DueInbox inbox;
    private final Burst burst;
    private final DatabaseClock clock;
    private final IntSupplier held;
    private final LongPredicate collectIfNeeded;
    private long madeMillis = Long.MIN_VALUE / 2;

    /**
     * @param step claims; returns how long to sleep, in nanoseconds
     * @param held how many slots are claimed and not recorded, mostly of the same burst
     * @param makeRoom makes sure that the given number of bytes can be allocated without a collection; returns whether
     *     that took one
     */
    PreBurstGc(
            LongSupplier step,
            DueInbox inbox,
            Burst burst,
            DatabaseClock clock,
            IntSupplier held,
            LongPredicate makeRoom) {
        this.step = step;
        this.inbox = inbox;
        this.burst = burst;
        this.clock = clock;
        this.held = held;
        this.collectIfNeeded = makeRoom;
    }

    /** Collects if that is worth it, then runs the wrapped step; returns how long to sleep, in nanoseconds. */
    long step() {
        int slots = inbox.size();
        if (slots >= MIN_BURST && !burst.isActive()) {
            collectIfNeeded(slots + held.getAsInt(), clock.nowMillis());
        }
        return step.getAsLong();
    }

    private void collectIfNeeded(int slots, long nowMillis) {
        boolean isAhead = inbox.noneBeforeMillis() - nowMillis >= AHEAD.toMillis();
        boolean mayCollect = Math.abs(nowMillis - madeMillis) >= PAUSE.toMillis();
        if (isAhead && mayCollect && collectIfNeeded.test(slots * BYTES_PER_SLOT)) {
            madeMillis = nowMillis;
        }
    }
}
