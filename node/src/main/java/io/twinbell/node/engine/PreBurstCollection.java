package io.twinbell.node.engine;

import io.twinbell.node.engine.trigger.Burst;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.persistence.database.DatabaseClock;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Has the process's memory collected before a crowd is claimed, if it would be full before the crowd has run: else it is
 * collected while the crowd starts as likely as not, with all that has been claimed to be moved, and whoever has yet to
 * start waits for that. A crowd that comes close behind another has to do without.
 */
final class PreBurstCollection {
    /** With fewer a collection has little to move. */
    static final int CROWD = 1000;
    /** To fill what is left and to collect takes less than half of that; what is due sooner might have to start meanwhile. */
    static final Duration AHEAD = Duration.ofMillis(20);
    /** What a slot leaves behind from its claim to its record, some 3.3 KB, and a little to be sure. */
    static final long BYTES_PER_SLOT = 4096;
    /** Where it is of no use, as in a memory that is nearly full, it is not done for each claim. */
    static final Duration PAUSE = Duration.ofMillis(500);

    private final LongSupplier step;
    private final DueInbox inbox;
    private final Burst burst;
    private final DatabaseClock clock;
    private final IntSupplier held;
    private final LongPredicate makeRoom;
    private long madeMillis = Long.MIN_VALUE / 2;

    /**
     * @param step claims; returns how long to sleep, in nanoseconds
     * @param held how many slots are claimed and not recorded: of the same crowd, mostly
     * @param makeRoom makes sure that so many bytes can be made without a collection; answers whether it took one for that
     */
    PreBurstCollection(
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
        this.makeRoom = makeRoom;
    }

    /** As the step that it was made of. */
    long step() {
        int slots = inbox.size();
        if (slots >= CROWD && !burst.isHere()) {
            makeRoom(slots + held.getAsInt(), clock.nowMillis());
        }
        return step.getAsLong();
    }

    private void makeRoom(int slots, long nowMillis) {
        boolean isAhead = inbox.noneBeforeMillis() - nowMillis >= AHEAD.toMillis();
        boolean mayCollect = Math.abs(nowMillis - madeMillis) >= PAUSE.toMillis();
        if (isAhead && mayCollect && makeRoom.test(slots * BYTES_PER_SLOT)) {
            madeMillis = nowMillis;
        }
    }
}
