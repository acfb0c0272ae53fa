package io.twinbell.ha.role;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Tracks which nodes reach the database, so that a node without the database gives up its place only to a node that
 * reaches it. Moving the role during an outage for both would not help.
 *
 * <p>An old report does not count, because the entry of a node that is gone stays until its session times out. A node
 * that loses the database therefore asks a question in its own entry and counts only answers to it. It asks a new
 * question after each ZooKeeper outage.
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

    /** Reads what the other nodes report now, and whether the database was lost or came back. */
    synchronized void readPeers() {
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
     * Evaluates the other nodes' entries. Call it whenever an entry changes and not only from the steps, because their
     * thread may be blocked by its own statement for seconds. Reports of other nodes count only while this node is cut
     * off from the database and reaches ZooKeeper: an entry from before an outage is out of date.
     */
    public synchronized void listen() {
        boolean othersSayReached = !isDatabaseReached()
                && zooKeeperReached.getAsBoolean()
                && peers.others().stream()
                        .map(Peer::database)
                        .anyMatch(said -> said.isReached() && said.answers().equals(question()));
        convinced = othersReach.isOverWhenContinuous(othersSayReached);
    }

    /** Called by the database health probe at the moment it sees a change. */
    public synchronized void reachChanged(boolean reached) {
        if (!reached) {
            questions++;
        }
        listen();
    }

    /**
     * Called when the ZooKeeper connection changes. A node that answered before may have gone unnoticed, so its answer
     * no longer counts.
     *
     * @return whether this node's entry must ask a new question
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

    /**
     * The report that this node's entry should have now. It answers the question that another node asks, if there is
     * one.
     */
    public synchronized Peer.ReachReport word() {
        boolean reached = isDatabaseReached();
        answered = unanswered();
        return new Peer.ReachReport(reached, reached ? "" : question(), answered);
    }

    /** Whether another node asks a question that this node's entry has not answered. */
    public synchronized boolean owesAnswer() {
        return !unanswered().equals(answered);
    }

    /** The latest question of another node; the one answered last if no node asks. */
    private String unanswered() {
        return peers.others().stream()
                .map(peer -> peer.database().asks())
                .filter(question -> !question.isEmpty())
                .findFirst()
                .orElse(answered);
    }

    /** Whether the database came back so recently that a live owner may not have sent a heartbeat since. */
    synchronized boolean isDatabaseJustBack() {
        return regained.isRunning() && !regained.isOver();
    }

    boolean isDatabaseReached() {
        return databaseReached.getAsBoolean();
    }

    /** Whether another node has reported for a second that it reaches the database while this node does not. */
    synchronized boolean othersReach() {
        return convinced;
    }
}
