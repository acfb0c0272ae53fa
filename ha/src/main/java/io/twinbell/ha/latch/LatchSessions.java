package io.twinbell.ha.latch;

import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.util.Optional;

/**
 * The ZooKeeper sessions behind latch nodes. Ending a session removes its latch node, and ZooKeeper notifies the next
 * in line.
 */
public interface LatchSessions {
    /**
     * The data that another process needs to end this node's session; empty if the current session is not the one in
     * {@code seen}.
     */
    Optional<LatchSession> own(Election seen);

    /**
     * Ends a session, provided that the latch node recorded with it is still first in line. It never deletes the latch
     * node itself: a live owner would not be notified and would continue to believe that it holds the latch.
     */
    EndResult end(LatchSession session);

    /** Begins and ends a session of its own in the same way, so that the code is warm when it is needed. */
    default void warmUp() {}

    /** The result of ending a session. */
    enum EndResult {
        ENDED,
        /** Another latch node is first, or there is none: nothing was done. */
        NOT_THE_HOLDER,
        /** ZooKeeper did not answer in time: the session may or may not have been ended. */
        NOT_ANSWERED
    }
}
