package io.twinbell.ha.takeover;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of this node's part in fast takeover: armed, or off for a reason. Written by one thread, read by any
 * thread.
 */
final class FastTakeoverStatus {
    private static final Logger LOG = LoggerFactory.getLogger(FastTakeoverStatus.class);

    private volatile String obstacle = "the node has not joined yet";

    void on() {
        if (obstacle != null) {
            LOG.info("fast takeover is armed");
            obstacle = null;
        }
    }

    void disable(String reason) {
        if (!reason.equals(obstacle)) {
            LOG.info("fast takeover is off: {}", reason);
            obstacle = reason;
        }
    }

    /** Nothing is to be watched: the node is about to leave, or no node is master. The roles say so. */
    void leave(String reason) {
        if (!reason.equals(obstacle)) {
            LOG.debug("fast takeover is off: {}", reason);
            obstacle = reason;
        }
    }

    /** Records an obstacle that only an operator can remove. */
    void disablePermanently(String reason) {
        if (!reason.equals(obstacle)) {
            LOG.warn(
                    "fast takeover is off, so a dead master is detected only when its ZooKeeper session times out:"
                            + " {}",
                    reason);
            obstacle = reason;
        }
    }

    /** Why fast takeover is off; null if it is armed. */
    String obstacle() {
        return obstacle;
    }
}
