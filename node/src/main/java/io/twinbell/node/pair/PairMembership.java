package io.twinbell.node.pair;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.node.config.ConfigException;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.cluster.WrongClusterException;
import io.twinbell.persistence.database.WrongSchemaException;
import java.time.Duration;
import java.util.function.Supplier;

/** Makes this node a member of the pair, and publishes its entry for the other nodes. */
final class PairMembership {
    private final Joining joining;
    private final RoleParts role;
    private final Peers peers;
    private final Supplier<Peer> entry;
    private final Signals<NodeEvent> signals;
    private volatile boolean joined;

    /**
     * How this node joins.
     *
     * @param attempt makes one attempt; returns how long to wait before the next, or null if this node may take part
     * @param begin starts what a member does besides its role
     */
    record Joining(Supplier<Duration> attempt, Runnable begin) {}

    /** @param entry supplies this node's entry for the other nodes */
    PairMembership(Joining joining, RoleParts role, Peers peers, Supplier<Peer> entry, Signals<NodeEvent> signals) {
        this.joining = joining;
        this.role = role;
        this.peers = peers;
        this.entry = entry;
        this.signals = signals;
    }

    /** The init task: joins the pair, or returns how long to wait before the next attempt. */
    Duration join() {
        if (joined || role.refusal().reason().isPresent()) {
            return null;
        }
        try {
            Duration again = joining.attempt().get();
            if (again != null) {
                return again;
            }
        } catch (WrongClusterException | NodeIdInUseException | WrongSchemaException e) {
            role.refusal().refuse(e);
            return null;
        }
        try {
            joining.begin().run();
        } catch (ConfigException e) {
            role.refusal().refuse(e);
            return null;
        }
        role.leadership().join();
        joined = true;
        signals.raise(NodeEvent.JOINED);
        return null;
    }

    boolean hasJoined() {
        return joined;
    }

    void announceIfJoined() {
        if (joined) {
            announce();
        }
    }

    /** Synchronised because several threads report changes and the last published entry must be the newest. */
    synchronized void announce() {
        peers.announce(entry.get());
    }
}
