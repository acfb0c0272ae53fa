package io.twinbell.node.pair;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.cluster.WrongClusterException;
import io.twinbell.persistence.database.WrongSchemaException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes this node a member of the pair, and publishes its entry for the other nodes. */
final class PairMembership {
    private static final Logger LOG = LoggerFactory.getLogger(PairMembership.class);

    private final Supplier<Duration> attempt;
    private final Runnable begin;
    private final RoleParts role;
    private final Peers peers;
    private final Supplier<Peer> entry;
    private final Supplier<Optional<String>> otherApplication;
    private final Signals<NodeEvent> signals;
    private Optional<String> warnedOf = Optional.empty();
    private volatile boolean joined;

    /**
     * @param attempt makes one attempt to join; returns how long to wait before the next, or null if this node may take
     *     part
     * @param begin starts what a member does besides its role
     * @param entry supplies this node's entry for the other nodes
     * @param otherApplication supplies a sentence about a node of another application in the pair
     */
    PairMembership(
            Supplier<Duration> attempt,
            Runnable begin,
            RoleParts role,
            Peers peers,
            Supplier<Peer> entry,
            Supplier<Optional<String>> otherApplication,
            Signals<NodeEvent> signals) {
        this.attempt = attempt;
        this.begin = begin;
        this.role = role;
        this.peers = peers;
        this.entry = entry;
        this.otherApplication = otherApplication;
        this.signals = signals;
    }

    /** The init task: joins the pair, or returns how long to wait before the next attempt. */
    Duration join() {
        if (joined || role.refusal().reason().isPresent()) {
            return null;
        }
        try {
            Duration again = attempt.get();
            if (again != null) {
                return again;
            }
        } catch (WrongClusterException | NodeIdInUseException | WrongSchemaException e) {
            role.refusal().refuse(e);
            return null;
        }
        try {
            begin.run();
        } catch (ConfigException e) {
            role.refusal().refuse(e);
            return null;
        }
        role.leadership().join();
        joined = true;
        signals.raise(NodeEvent.JOINED);
        return null;
    }

    /**
     * Logs once of each node of another application that it is in this pair. Called by the system worker every few seconds:
     * the entry of a node that joins is believed only when the database has named it.
     */
    void warnOfOtherApplication() {
        Optional<String> found = otherApplication.get();
        if (!found.equals(warnedOf)) {
            found.ifPresent(LOG::warn);
        }
        warnedOf = found;
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
