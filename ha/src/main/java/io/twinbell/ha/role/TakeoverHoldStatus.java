package io.twinbell.ha.role;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports, and logs every minute, that the master is gone and no node fires because automatic takeover is on hold. */
final class TakeoverHoldStatus {
    private static final Logger LOG = LoggerFactory.getLogger(TakeoverHoldStatus.class);
    private static final Duration SAY_AGAIN = Duration.ofMinutes(1);

    private final String node;
    private final MonotonicDeadline said;
    private volatile String reason;
    private long epoch = -1;
    private TakeoverHold hold;

    TakeoverHoldStatus(String node, Ticker ticker) {
        this.node = node;
        said = new MonotonicDeadline(ticker, SAY_AGAIN);
    }

    /** Why this node does not take over from an owner that is gone; null if nothing prevents it. */
    String reason() {
        return reason;
    }

    void check(EpochRow row, boolean isOwnerGone) {
        if (row == null) {
            return;
        }
        if (!isOwnerGone) {
            // A later failover has nothing to do with a hold that this owner has survived.
            hold = null;
        }
        if (!isOwnerGone || row.mayBeFollowedBy(node)) {
            reason = null;
            said.end();
            return;
        }
        epoch = row.epoch();
        hold = row.hold();
        reason = (row.node() == null ? "there was no master yet" : "master " + row.node() + " is gone")
                + ", and node " + node + " does not take over: automatic takeover is on hold " + hold
                + (hold.hasEnd() ? " until " + Instant.ofEpochMilli(hold.untilMillis()) : "");
        if (!said.isRunning() || said.isOver()) {
            said.begin();
            LOG.warn("NOTHING FIRES: {}. To continue: twinbell release, or twinbell failover --force", reason);
        }
    }

    /** The hold that has kept this node from following that epoch until now; null if there was none. */
    TakeoverHold past(EpochRow row) {
        return row.epoch() == epoch ? hold : null;
    }
}
