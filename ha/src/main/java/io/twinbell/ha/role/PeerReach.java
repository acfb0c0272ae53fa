package io.twinbell.ha.role;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Who reaches the database. A node gives its place up for the database's sake only to one that has it: in an outage for
 * all, moving the role would help nobody.
 */
public final class PeerReach {
    private static final Duration CONVINCED_AFTER = Duration.ofSeconds(1);

    private final Peers peers;
    private final BooleanSupplier databaseReached;
    private final BooleanSupplier zooKeeperReached;
    private final Patience othersReach;
    private final Patience regained;
    private final Ticker ticker;
    private volatile Long lostNanos;
    private volatile boolean othersHaveFailed;
    private boolean wasReached;
    private boolean lostBefore;
    private boolean convinced;

    public PeerReach(Peers peers, BooleanSupplier databaseReached, BooleanSupplier zooKeeperReached, Ticker ticker) {
        this.peers = peers;
        this.ticker = ticker;
        this.databaseReached = databaseReached;
        this.zooKeeperReached = zooKeeperReached;
        othersReach = new Patience(ticker, CONVINCED_AFTER);
        regained = new Patience(ticker, EpochRow.ALIVE_FOR);
    }

    /**
     * Looks at what the others say now. It counts only while this node itself is cut off from the database, and while
     * ZooKeeper is there to say it: an entry from before an outage is no news.
     */
    void look() {
        boolean reached = isDatabaseReached();
        boolean othersSayReached = !reached
                && zooKeeperReached.getAsBoolean()
                && peers.others().stream().anyMatch(Peer::databaseReached);
        othersHaveFailed |= !reached && !othersSayReached;
        convinced =
                othersReach.isOverWhile(othersSayReached) || othersSayReached && !othersHaveFailed && isLostForLong();
        if (wasReached && !reached) {
            regained.end();
            lostBefore = true;
        } else if (!wasReached && reached && lostBefore) {
            regained.begin();
        }
        wasReached = reached;
    }

    /**
     * Told by whoever asks the database, at the moment it finds out: the thread of the steps may be kept by a statement of
     * its own for seconds then. In an outage for all, the others say so at their moment too, half a second later at most.
     */
    void reachChanged(boolean reached) {
        othersHaveFailed = false;
        lostNanos = reached ? null : ticker.nanos();
    }

    private boolean isLostForLong() {
        Long since = lostNanos;
        return since != null && ticker.nanos() - since >= CONVINCED_AFTER.toNanos();
    }

    /** Whether the database came back so recently that a living owner may not have beaten since. */
    boolean isDatabaseJustBack() {
        return regained.isRunning() && !regained.isOver();
    }

    boolean isDatabaseReached() {
        return databaseReached.getAsBoolean();
    }

    /** Whether another node has said for a second that it reaches the database while this one does not. */
    boolean othersReach() {
        return convinced;
    }
}
