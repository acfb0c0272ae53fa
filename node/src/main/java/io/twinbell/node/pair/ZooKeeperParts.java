package io.twinbell.node.pair;

import io.twinbell.ha.latch.CuratorLatch;
import io.twinbell.ha.latch.CuratorPeers;
import io.twinbell.ha.latch.EnsembleFolder;
import io.twinbell.ha.latch.Members;
import io.twinbell.ha.latch.TimelineMark;
import io.twinbell.ha.latch.ZooKeeperLink;
import io.twinbell.ha.latch.ZooKeeperSessions;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.Ticker;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongPredicate;

/** What this node has in ZooKeeper, and the knowledge from the database of what there is of its pair. */
record ZooKeeperParts(
        ZooKeeperLink link,
        CuratorLatch latch,
        CuratorPeers peers,
        ZooKeeperSessions sessions,
        Members members,
        MemberRegister register)
        implements AutoCloseable {
    static ZooKeeperParts of(NodeConfig config, NodeDatabase database, Membership membership, Ticker ticker) {
        String id = config.nodeId();
        ZooKeeperLink link = new ZooKeeperLink(
                config.zooKeeper().connect(),
                config.cluster(),
                config.zooKeeper().sessionTimeout(),
                membership::zooKeeperChanged);
        Members members = new Members();
        TimelineMark timeline =
                new TimelineMark(link, id, members, database.settings().servers());
        CuratorPeers peers = new CuratorPeers(
                link,
                id,
                members,
                ticker,
                new CuratorPeers.Listeners(membership::peersChanged, membership::roleMayChange, timeline::step));
        LongPredicate known = session -> members.isOwner(session) || peers.isOfANode(session);
        return new ZooKeeperParts(
                link,
                new CuratorLatch(link, id, known, ticker, membership::roleMayChange),
                peers,
                new ZooKeeperSessions(link, known, ticker),
                members,
                new MemberRegister(database.epoch()));
    }

    /**
     * To be called before this node shows itself: from now on the others believe what it writes.
     *
     * @return why this node must wait, if another that runs on the same database takes part in another election
     */
    Optional<String> join(String node, UUID incarnation) {
        EnsembleFolder folder = EnsembleFolder.of(link);
        Optional<MemberRegister.Elsewhere> other = register.join(
                node, incarnation, new MemberRegister.Ensemble(folder.mark(), link.address(), folder.nodes()));
        members.refresh(register);
        return other.map(
                elsewhere -> "node \"" + elsewhere.node() + "\" runs on the same database with zookeeper.connect "
                        + elsewhere.address() + ", and has no entry in ZooKeeper at " + link.address()
                        + ", which node \"" + node + "\" uses: give both nodes the same zookeeper.connect");
    }

    /** Reads anew whom to believe; throws if the database does not answer. */
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
