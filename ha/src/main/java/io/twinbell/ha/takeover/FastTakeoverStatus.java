package io.twinbell.ha.takeover;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The state of this node's part in fast takeover: armed, or off for a reason. Written by one thread, read by any
 * thread.
 */
final class FastTakeoverStatus {
    private static final Logger LOG = LoggerFactory.getLogger(FastTakeoverStatus.class);

    private volatile String obstacle = "the node has not joined yet";
    private boolean isOffLogged = true;

    void on() {
        if (obstacle != null) {
            LOG.atLevel(isOffLogged ? Level.INFO : Level.DEBUG).log("fast takeover is armed");
            obstacle = null;
            isOffLogged = false;
        }
    }

    void disable(String reason) {
        if (!reason.equals(obstacle)) {
            LOG.info("fast takeover is off: {}", reason);
            obstacle = reason;
            isOffLogged = true;
        }
    }

    /** Nothing is to be watched, for a reason that another line of the log gives: a change of role, or a failure. */
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
            isOffLogged = true;
        }
    }

    /** Why fast takeover is off; null if it is armed. */
    String obstacle() {
        return obstacle;
    }
}
