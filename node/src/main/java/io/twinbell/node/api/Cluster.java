package io.twinbell.node.api;

import io.twinbell.persistence.cluster.FiringPauses.Pause;
import java.util.List;
import java.util.Map;

/**
 * The pair at one instant.
 *
 * @param master the id of the master, or null if there is none
 * @param epoch the one in the database
 * @param nodes each as it sees itself
 * @param pause null while the cluster fires
 * @param history the latest role changes, newest first
 */
public record Cluster(
        String master,
        long epoch,
        List<Node> nodes,
        Pause pause,
        FailoverReady failoverReady,
        List<RoleEvent> history) {
    /**
     * One node.
     *
     * @param standing null if the node did not answer; then {@code error} says why
     * @param connections null if the node did not answer
     * @param fastTakeover null if the node did not answer
     */
    public record Node(
            String id,
            Standing standing,
            Addresses addresses,
            Connections connections,
            FastTakeover fastTakeover,
            Build build,
            String error) {}

    /**
     * Which process of which build it is.
     *
     * @param incarnation another one after each start
     */
    public record Build(String incarnation, String version) {}

    /**
     * Its part in taking over without waiting for a ZooKeeper session to time out.
     *
     * @param lockHeld whether it has the master's database lock
     * @param obstacle why its part is not ready; null if it is
     */
    public record FastTakeover(boolean lockHeld, String obstacle) {
        public boolean armed() {
            return obstacle == null;
        }
    }

    /** @param role STANDBY, PROMOTING, MASTER, DEMOTING or STOPPED */
    public record Standing(String role, long epoch, boolean paused) {}

    /**
     * Where it listens.
     *
     * @param http as a URL
     * @param jmx as {@code host:port}
     */
    public record Addresses(String http, String jmx) {}

    /**
     * Whom it reaches.
     *
     * @param zooKeeper the state of its connection, as Curator calls it
     * @param heartbeatAgeMillis how old the master's last heartbeat is, by the database's clock; null if not known
     */
    public record Connections(String zooKeeper, boolean databaseReached, Long heartbeatAgeMillis) {}

    /** Whether a failover would succeed now; if not, the reasons say what is missing. */
    public record FailoverReady(boolean ready, List<String> reasons) {}

    /** @param stepMicros the duration of each step in microseconds, in their order */
    public record RoleEvent(
            long atMillis, String node, long epoch, Change change, String reason, Map<String, Long> stepMicros) {}

    public record Change(String from, String to, long tookMillis) {}
}
