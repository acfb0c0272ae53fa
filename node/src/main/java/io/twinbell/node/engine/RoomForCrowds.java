package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseClock;
import java.time.Duration;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Has the process's memory collected before a crowd is claimed, if it would be full before the crowd has run: else it is
 * collected while the crowd starts as likely as not, with all that has been claimed to be moved, and whoever has yet to
 * start waits for that. A crowd that comes together with other tasks, or close behind another crowd, has to do without.
 */
final class RoomForCrowds {
    /** With fewer a collection has little to move. */
    static final int CROWD = 1000;
    /** What is due sooner may have to start while memory is collected. */
    static final Duration AHEAD = LookAhead.USUAL;
    /** What a slot leaves behind from its claim to its record, some 3.3 KB, and a little to be sure. */
    static final long BYTES_PER_SLOT = 4096;
    /** Where it is of no use, as in a memory that is nearly full, it is not done for each claim. */
    static final Duration PAUSE = Duration.ofMillis(500);

    private final LongSupplier step;
    private final DueInbox inbox;
    private final Crowd crowd;
    private final DatabaseClock clock;
    private final LongConsumer makeRoom;
    private long madeMillis = Long.MIN_VALUE / 2;

    /**
     * @param step claims; returns how long to sleep, in nanoseconds
     * @param makeRoom makes sure that so many bytes can be made without a collection
     */
    RoomForCrowds(LongSupplier step, DueInbox inbox, Crowd crowd, DatabaseClock clock, LongConsumer makeRoom) {
        this.step = step;
        this.inbox = inbox;
        this.crowd = crowd;
        this.clock = clock;
        this.makeRoom = makeRoom;
    }

    /** As the step that it was made of. */
    long step() {
        int slots = inbox.size();
        if (slots >= CROWD && !crowd.isHere()) {
            makeRoom(slots, clock.nowMillis());
        }
        return step.getAsLong();
    }

    private void makeRoom(int slots, long nowMillis) {
        boolean isAhead = inbox.noneBeforeMillis() - nowMillis >= AHEAD.toMillis();
        if (isAhead && Math.abs(nowMillis - madeMillis) >= PAUSE.toMillis()) {
            madeMillis = nowMillis;
            makeRoom.accept(slots * BYTES_PER_SLOT);
        }
    }
}
