package io.twinbell.ha.latch;

import java.util.List;

/** The entries of the nodes that have a ZooKeeper session. */
public interface Peers {
    /** Publishes this node's entry, and publishes it again under each new session. */
    void announce(Peer self);

    /**
     * The other nodes' entries as ZooKeeper last reported them, limited to those written by nodes of this database;
     * does not wait for the network.
     */
    List<Peer> others();

    /** The nodes among the entries that no node of this database wrote, a phrase for each. */
    default List<String> foreignEntries() {
        return List.of();
    }
}
