package io.twinbell.node.api;

import io.twinbell.persistence.cluster.FiringPauses.Pause;
import io.twinbell.persistence.epoch.TakeoverHold;
import io.twinbell.persistence.ledger.SlotsInDoubt;
import java.util.List;
import java.util.Map;

/**
 * The pair at one instant.
 *
 * @param master the id of the master, or null if there is none
 * @param epoch the one in the database
 * @param nodes each as it sees itself
 * @param pause null while the cluster fires
 * @param hold null unless automatic takeover is on hold
 * @param history the latest role changes, newest first
 */
public record Cluster(
        String master,
        long epoch,
        List<Node> nodes,
        Pause pause,
        TakeoverHold hold,
        FailoverReady failoverReady,
        List<RoleEvent> history) {
    /**
     * One node.
     *
     * @param standing null if the node did not answer; then {@code error} says why
     * @param connections null if the node did not answer
     * @param fastTakeover null if the node did not answer
     * @param means null if the node did not answer
     * @param firing null if the node did not answer
     */
    public record Node(
            String id,
            Standing standing,
            Addresses addresses,
            Connections connections,
            FastTakeover fastTakeover,
            Means means,
            Build build,
            Firing firing,
            String error) {}

    /**
     * Whether planned fires are started and recorded, as far as it knows.
     *
     * @param lagMillis age of the oldest slot that is due and not started, or ended and not recorded
     * @param obstacle why nothing has been started or recorded for a long time; null if it is
     * @param slotsInDoubt how many slots were found in doubt within 24 hours: they may have run on a primary that was lost
     *     together with its master
     */
    public record Firing(long lagMillis, String obstacle, long slotsInDoubt) {}

    /**
     * Which process of which build it is.
     *
     * @param incarnation another one after each start
     * @param schema the version that the database's schema had when it joined; null if not known
     * @param knownSchema the newest version that it knows itself; null if not known
     */
    public record Build(String incarnation, String version, String schema, Integer knownSchema) {}

    /**
     * What it has to fire with.
     *
     * @param clockOffsetMillis how far the database's clock is ahead of this machine's
     */
    public record Means(int workers, int activeWorkers, long clockOffsetMillis) {}

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

    /**
     * Its part in the pair.
     *
     * @param role STANDBY, PROMOTING, MASTER, DEMOTING or STOPPED
     * @param latchHeld whether it held the latch when it last looked, in its own eyes
     * @param onHold whether automatic takeover is on hold, as far as it knows
     * @param heldBack why it does not take over from a master that is gone; null if nothing keeps it from that
     */
    public record Standing(
            String role, long epoch, boolean latchHeld, boolean paused, boolean onHold, String heldBack) {}

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

    /**
     * Whether a failover would succeed now; if not, the reasons say what is missing.
     *
     * @param gap how long nothing would fire; null if nobody would take over
     */
    public record FailoverReady(boolean ready, List<String> reasons, Gap gap) {}

    /**
     * How long nothing would fire if the master died now.
     *
     * @param split what the parts would take
     * @param basis what each of them is reckoned from
     */
    public record Gap(PromotionTimings timings, String basis) {
        public double millis() {
            return timings.total();
        }
    }

    /**
     * A change of role.
     *
     * @param stepMicros the duration of each step in microseconds, in their order
     * @param inDoubt the slots that a new master found in doubt; null if there are none
     */
    public record RoleEvent(
            long atMillis,
            String node,
            long epoch,
            Change change,
            String reason,
            Map<String, Long> stepMicros,
            SlotsInDoubt.Named inDoubt) {}

    public record Change(String from, String to, long tookMillis) {}
}
