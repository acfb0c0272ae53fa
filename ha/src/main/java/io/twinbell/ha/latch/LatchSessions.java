package io.twinbell.ha.latch;

import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.util.Optional;

/** The ZooKeeper sessions behind latch nodes. Ending one removes its latch node, and the next in line is told. */
public interface LatchSessions {
    /** What somebody else needs to end this node's session; empty if it is not the one that was seen standing. */
    Optional<LatchSession> own(Election seen);

    /**
     * Ends a session, if the very latch node that was recorded with it is the first in line. Never deletes a node: nothing
     * would tell an owner that lives, and it would go on holding the latch in its own eyes.
     */
    Ending end(LatchSession session);

    /** Begins a session of its own and ends it in the same way, so that this is known when it counts. */
    default void warmUp() {}

    /** What became of it. */
    enum Ending {
        ENDED,
        /** Another latch node is the first, or there is none: nothing was done. */
        NOT_THE_HOLDER,
        /** ZooKeeper did not answer in time: it may have been ended or not. */
        NOT_ANSWERED
    }
}
