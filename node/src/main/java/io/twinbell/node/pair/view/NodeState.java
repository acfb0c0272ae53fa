package io.twinbell.node.pair.view;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.latch.ZooKeeperLink;
import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.ha.takeover.FastTakeover;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.node.pair.role.RoleTasks;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.database.SchemaVersion;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** This node's knowledge of itself and of the pair, read from memory without any network access. */
public record NodeState(
        NodeIdentity nodeIdentity,
        RoleRecord roles,
        Leadership leadership,
        RoleTasks tasks,
        DatabaseHealthProbe healthProbe,
        ZooKeeperLink zooKeeper,
        Peers peers,
        FastTakeover takeover,
        HoldWatch hold,
        MeasuredClock clock) {
    /**
     * The identity of this node.
     *
     * @param app the application that it runs in; empty if that is not known
     * @param url the address of its API; known once the API listens, and empty if it never does
     * @param jmx {@code host:port}; empty if it does not listen
     * @param schema the version of the schema when this node joined; supplies null before
     */
    public record NodeIdentity(
            String id,
            String incarnation,
            String app,
            Supplier<String> url,
            String jmx,
            String version,
            Supplier<SchemaVersion> schema) {
        public static NodeIdentity of(
                NodeConfig config, UUID incarnation, String app, Supplier<String> url, Supplier<SchemaVersion> schema) {
            return new NodeIdentity(
                    config.nodeId(),
                    incarnation.toString(),
                    app,
                    url,
                    config.listeners().jmx().address(),
                    Version.CURRENT,
                    schema);
        }

        String http() {
            return url.get();
        }
    }

    Role role() {
        return roles.role();
    }

    boolean isMaster() {
        return role() == Role.MASTER;
    }

    /** The newest epoch known to this node; 0 if none. */
    public long epoch() {
        return roles.knownEpoch();
    }

    /** The master's id as far as this node knows; null if unknown. */
    String master() {
        if (isMaster()) {
            return nodeIdentity.id();
        }
        EpochRow seen = leadership.lastSeenOwner();
        return seen != null && seen.isOwnerAlive() ? seen.node() : null;
    }

    /** The standby's id as far as this node knows; null if unknown. */
    String standby() {
        if (role() == Role.STANDBY) {
            return nodeIdentity.id();
        }
        return otherStandby().map(Peer::node).orElse(null);
    }

    Optional<Peer> otherStandby() {
        return peers.others().stream().filter(this::mayFollow).findFirst();
    }

    /** Whether this node itself would take over. That includes a draining node that is in the election. */
    boolean mayFollow() {
        return role() == Role.STANDBY
                || role() == Role.DEMOTING && leadership.election().standing();
    }

    /** Whether the peer would take over. A draining node has entered the election again, unless it is about to stop. */
    boolean mayFollow(Peer peer) {
        return peer.role().equals(Role.STANDBY.name())
                || peer.role().equals(Role.DEMOTING.name())
                        && leadership.election().isCandidate(peer.node());
    }

    /** Why no other node could take over from this master now; empty if one could. */
    public Optional<String> standbyLack() {
        if (!zooKeeper.isConnected()) {
            return Optional.of("node " + nodeIdentity.id() + " does not reach ZooKeeper");
        }
        Optional<Peer> standby = otherStandby();
        if (standby.isEmpty()) {
            return Optional.of("there is no standby");
        }
        return standby.get().databaseReached()
                ? Optional.empty()
                : Optional.of("standby " + standby.get().node() + " does not reach the database");
    }

    /** Whether there is a standby that reaches the database. */
    boolean isStandbyPresent() {
        return mayFollow() ? healthProbe.isReached() : standbyLack().isEmpty();
    }

    /** Whether a takeover would succeed now without waiting for a session to time out. */
    boolean isFailoverReady() {
        boolean isOwnPartReady = healthProbe.isReached()
                && zooKeeper.isConnected()
                && takeover.obstacle().isEmpty()
                && !hold.isOn();
        return isOwnPartReady
                && isStandbyPresent()
                && master() != null
                && foreignEntries().isEmpty()
                && otherApplication().isEmpty();
    }

    /**
     * A sentence about a node of another application in this pair; empty if there is none. Two applications that share a
     * database by mistake look like a healthy pair, but the handlers of one of them never run.
     */
    public Optional<String> otherApplication() {
        return peers.others().stream()
                .filter(this::isOfOtherApplication)
                .map(peer -> "node " + nodeIdentity.id() + " of the application \"" + nodeIdentity.app()
                        + "\" and node "
                        + peer.node() + " of the application \"" + peer.app() + "\" form one pair, because they use the"
                        + " same database: only the handlers of the master's application run. Give each application a"
                        + " database of its own")
                .findFirst();
    }

    private boolean isOfOtherApplication(Peer peer) {
        return !nodeIdentity.app().isEmpty()
                && !peer.app().isEmpty()
                && !peer.app().equals(nodeIdentity.app());
    }

    /** Whether the master belongs to another application, so that none of this one's handlers run. */
    boolean isMasterOfOtherApplication() {
        String master = master();
        return peers.others().stream().anyMatch(peer -> peer.node().equals(master) && isOfOtherApplication(peer));
    }

    /** The nodes in the cluster's ZooKeeper folders that no node of this database created, a phrase for each. */
    List<String> foreignEntries() {
        return Stream.concat(leadership.election().foreignEntries().stream(), peers.foreignEntries().stream())
                .toList();
    }

    /** The age of the master's last heartbeat in milliseconds, as far as this node knows; -1 if unknown. */
    long heartbeatAgeMillis() {
        if (isMaster()) {
            return tasks.beatAgeMillis();
        }
        return leadership.ownerHeartbeatAgeMillis();
    }

    public Peer entry() {
        return new Peer(
                nodeIdentity.id(),
                nodeIdentity.incarnation(),
                role().name(),
                nodeIdentity.http(),
                nodeIdentity.jmx(),
                nodeIdentity.version(),
                nodeIdentity.app(),
                leadership.peerReach().word());
    }

    /** Caches whether automatic takeover is on hold, for callers that must not query the database. */
    public static final class HoldWatch {
        private final Supplier<Optional<TakeoverHold>> read;
        private final DatabaseClock clock;
        private volatile TakeoverHold latest;

        public HoldWatch(Supplier<Optional<TakeoverHold>> read, DatabaseClock clock) {
            this.read = read;
            this.clock = clock;
        }

        /** Reads the hold from the database; throws if the database does not answer. */
        public void refresh() {
            latest = read.get().orElse(null);
        }

        boolean isOn() {
            return latest().isPresent();
        }

        /** The hold that is on now, as last read. */
        Optional<TakeoverHold> latest() {
            TakeoverHold hold = latest;
            return hold != null && clock.nowMillis() < hold.untilMillis() ? Optional.of(hold) : Optional.empty();
        }
    }
}
