package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseClock;
import java.time.Duration;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Has the process's memory collected before a crowd is claimed, if it would be full before the crowd has run: else it is
 * collected while the crowd starts as likely as not, with all that has been claimed to be moved, and whoever has yet to
 * start waits for that.
 */
final class RoomForCrowds {
    /** So many. */
    static final int CROWD = 1000;
    /** What is claimed for sooner starts while memory is collected, or is late already. */
    static final Duration AHEAD = LookAhead.USUAL;
    /** From its claim to its record, and as much again to be sure. */
    static final long BYTES_PER_SLOT = 4096;

    private final LongSupplier step;
    private final DueInbox inbox;
    private final DatabaseClock clock;
    private final LongConsumer makeRoom;

    /**
     * @param step claims; returns how long to sleep, in nanoseconds
     * @param makeRoom makes sure that so many bytes can be made without a collection
     */
    RoomForCrowds(LongSupplier step, DueInbox inbox, DatabaseClock clock, LongConsumer makeRoom) {
        this.step = step;
        this.inbox = inbox;
        this.clock = clock;
        this.makeRoom = makeRoom;
    }

    /** As the step that it was made of. */
    long step() {
        int slots = inbox.size();
        if (slots >= CROWD && inbox.noneBeforeMillis() - clock.nowMillis() >= AHEAD.toMillis()) {
            makeRoom.accept(slots * BYTES_PER_SLOT);
        }
        return step.getAsLong();
    }
}
