package io.twinbell.ha.role;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Who reaches the database. A node gives its place up for the database's sake only to one that has it: in an outage for
 * all, moving the role would help nobody. Nor may it go by what a node said that has gone itself since: its entry stays
 * until its session has timed out. So whoever loses the database asks, in its own entry, and counts what is answered; and
 * asks anew when ZooKeeper was away.
 */
public final class PeerReach {
    private static final Duration CONVINCED_AFTER = Duration.ofSeconds(1);

    private final UUID incarnation;
    private final Peers peers;
    private final BooleanSupplier databaseReached;
    private final BooleanSupplier zooKeeperReached;
    private final MonotonicDeadline othersReach;
    private final MonotonicDeadline regained;
    private int questions;
    private String answered = "";
    private boolean wasReached;
    private boolean lostBefore;
    private boolean convinced;

    public PeerReach(
            UUID incarnation,
            Peers peers,
            BooleanSupplier databaseReached,
            BooleanSupplier zooKeeperReached,
            Ticker ticker) {
        this.incarnation = incarnation;
        this.peers = peers;
        this.databaseReached = databaseReached;
        this.zooKeeperReached = zooKeeperReached;
        othersReach = new MonotonicDeadline(ticker, CONVINCED_AFTER);
        regained = new MonotonicDeadline(ticker, EpochRow.ALIVE_FOR);
    }

    /** Looks at what the others say now, and at whether the database came or went. */
    synchronized void look() {
        listen();
        boolean reached = isDatabaseReached();
        if (wasReached && !reached) {
            regained.end();
            lostBefore = true;
        } else if (!wasReached && reached && lostBefore) {
            regained.begin();
        }
        wasReached = reached;
    }

    /**
     * To be called when an entry has changed, and not only by the steps: their thread may be kept by a statement of its own
     * for seconds. What the others say counts only while this node itself is cut off from the database, and while ZooKeeper
     * is there to say it: an entry from before an outage is no news.
     */
    public synchronized void listen() {
        boolean othersSayReached = !isDatabaseReached()
                && zooKeeperReached.getAsBoolean()
                && peers.others().stream()
                        .map(Peer::database)
                        .anyMatch(said -> said.isReached() && said.answers().equals(question()));
        convinced = othersReach.isOverWhile(othersSayReached);
    }

    /** Told by whoever asks the database, at the moment it finds out. */
    public synchronized void reachChanged(boolean reached) {
        if (!reached) {
            questions++;
        }
        listen();
    }

    /**
     * Told by ZooKeeper's connection. Who has answered before may have gone while nobody could see it.
     *
     * @return whether this node's entry is to ask anew
     */
    public synchronized boolean zooKeeperChanged() {
        boolean asks = !isDatabaseReached();
        if (asks) {
            questions++;
        }
        listen();
        return asks;
    }

    private String question() {
        return incarnation + "/" + questions;
    }

    /** What this node's entry says of it now. Who asked is answered with that. */
    public synchronized Peer.Reach word() {
        boolean reached = isDatabaseReached();
        answered = unanswered();
        return new Peer.Reach(reached, reached ? "" : question(), answered);
    }

    /** Whether another node asks what this one's entry has not answered. */
    public synchronized boolean owesAnswer() {
        return !unanswered().equals(answered);
    }

    /** The latest question; the one that was answered before while there is no other. */
    private String unanswered() {
        return peers.others().stream()
                .map(peer -> peer.database().asks())
                .filter(question -> !question.isEmpty())
                .findFirst()
                .orElse(answered);
    }

    /** Whether the database came back so recently that a living owner may not have beaten since. */
    synchronized boolean isDatabaseJustBack() {
        return regained.isRunning() && !regained.isOver();
    }

    boolean isDatabaseReached() {
        return databaseReached.getAsBoolean();
    }

    /** Whether another node has said for a second that it reaches the database while this one does not. */
    synchronized boolean othersReach() {
        return convinced;
    }
}
