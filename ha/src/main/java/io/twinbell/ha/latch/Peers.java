package io.twinbell.ha.latch;

import java.util.List;

/** The entries of the nodes that have a ZooKeeper session. */
public interface Peers {
    /** Publishes this node's entry; again whenever the session is a new one. */
    void announce(Peer self);

    /**
     * The other nodes' entries as ZooKeeper last told them, those alone that were written by nodes of this database; does
     * not wait for the network.
     */
    List<Peer> others();

    /** What stands among the entries and was written by no node of this database, a phrase for each. */
    default List<String> strangers() {
        return List.of();
    }
}
