package io.twinbell.ha.role;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.persistence.database.Ticker;
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
    private final Patience othersReach;
    private boolean convinced;

    public PeerReach(Peers peers, BooleanSupplier databaseReached, Ticker ticker) {
        this.peers = peers;
        this.databaseReached = databaseReached;
        othersReach = new Patience(ticker, CONVINCED_AFTER);
    }

    /** Looks at what the others say now; counted only while this node itself is cut off. */
    void look() {
        convinced = othersReach.isOverWhile(
                !isDatabaseReached() && peers.others().stream().anyMatch(Peer::databaseReached));
    }

    boolean isDatabaseReached() {
        return databaseReached.getAsBoolean();
    }

    /** Whether another node has said for a second that it reaches the database while this one does not. */
    boolean othersReach() {
        return convinced;
    }
}
