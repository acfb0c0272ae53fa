package io.twinbell.node.pair;

import io.twinbell.ha.latch.CuratorLatch;
import io.twinbell.ha.latch.CuratorPeers;
import io.twinbell.ha.latch.EnsembleFolder;
import io.twinbell.ha.latch.KnownMembers;
import io.twinbell.ha.latch.TimelineMark;
import io.twinbell.ha.latch.ZooKeeperLink;
import io.twinbell.ha.latch.ZooKeeperSessions;
import io.twinbell.node.access.token.PairSignature;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.pair.database.SystemIdentity;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.MemberRegister;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongPredicate;

/**
 * This node's connection, latch, entries and sessions in ZooKeeper, and the record in the database of which of these
 * belong to the pair.
 */
record ZooKeeperParts(
        ZooKeeperLink link,
        CuratorLatch latch,
        CuratorPeers peers,
        ZooKeeperSessions sessions,
        KnownMembers members,
        MemberRegister register,
        TimelineMark timeline)
        implements AutoCloseable {
    /** Signs this node's requests to the other node. */
    PairSignature signature(DatabaseClock clock) {
        return new PairSignature(members::seal, members::hasSealed, clock);
    }

    static ZooKeeperParts of(NodeConfig config, NodeDatabase database, Signals<NodeEvent> signals, Ticker ticker) {
        String id = config.nodeId();
        Runnable latchChanged = () -> signals.raise(NodeEvent.LATCH_CHANGED);
        ZooKeeperLink link = new ZooKeeperLink(
                config.zooKeeper().connect(),
                config.cluster(),
                config.zooKeeper().sessionTimeout(),
                config.zooKeeper().access(),
                () -> signals.raise(NodeEvent.ZOOKEEPER_CHANGED));
        KnownMembers members = new KnownMembers();
        TimelineMark timeline =
                new TimelineMark(link, id, members, database.settings().servers());
        CuratorPeers peers = new CuratorPeers(
                link,
                id,
                members,
                ticker,
                new CuratorPeers.Listeners(() -> signals.raise(NodeEvent.PEERS_CHANGED), latchChanged, timeline::step));
        LongPredicate known = session -> members.isOwner(session) || peers.isNodeSession(session);
        return new ZooKeeperParts(
                link,
                new CuratorLatch(link, id, known, ticker, latchChanged),
                peers,
                new ZooKeeperSessions(link, known, ticker),
                members,
                new MemberRegister(database.epoch()),
                timeline);
    }

    /**
     * The ensemble and folder in which this node takes part in the election. {@code ClusterIdNode.check} must have been
     * called before.
     */
    private MemberRegister.MemberAddress place(String node, String url) {
        EnsembleFolder folder = EnsembleFolder.of(link);
        return new MemberRegister.MemberAddress(
                node,
                url == null ? "" : url,
                new MemberRegister.Ensemble(folder.mark(), link.address(), folder.nodes()));
    }

    /**
     * A sentence for the operator if nodes of this database have taken part in another election before and never in
     * this one; empty otherwise.
     *
     * @param url the address of the node's API; null if it has none
     */
    Optional<String> copied(String node, String url) {
        MemberRegister.MemberAddress memberAddress = place(node, url);
        return register.cameFrom(memberAddress)
                .map(before -> SystemIdentity.MOVED + ": " + before + ", but node " + memberAddress.node()
                        + (memberAddress.url().isEmpty() ? "" : " at " + memberAddress.url()) + " takes part in the"
                        + " election at " + link.address());
    }

    /**
     * Registers this node before it publishes its entry; from then on the other nodes believe what it writes.
     *
     * @param url the address of the node's API; null if it has none
     * @return why this node must wait, if another node that runs on the same database takes part in another election
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database is an older copy of the one
     *     that the pair has used
     */
    Optional<String> join(String node, String url, UUID incarnation) {
        MemberRegister.MemberAddress memberAddress = place(node, url);
        // Needed first: the key that seals the timeline is in the database.
        members.refresh(register);
        timeline.begin();
        Optional<MemberRegister.ForeignEnsembleNode> other = register.join(memberAddress, incarnation);
        return other.map(foreignEnsembleNode -> "node \"" + foreignEnsembleNode.node()
                + "\" uses the same database with zookeeper.connect " + foreignEnsembleNode.address() + ", but has"
                + " no entry in ZooKeeper at " + link.address()
                + ", which node \"" + memberAddress.node() + "\" uses: give both nodes the same zookeeper.connect");
    }

    /** Reads the members of the pair again; throws if the database does not answer. */
    void refreshMembers() {
        members.refresh(register);
    }

    @Override
    public void close() {
        sessions.close();
        latch.close();
        peers.close();
        link.close();
    }
}
