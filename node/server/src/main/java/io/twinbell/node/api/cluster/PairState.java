package io.twinbell.node.api.cluster;

import io.twinbell.node.execution.store.SlotsInDoubt;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The state of the pair at one instant.
 *
 * @param master the id of the master, or null if there is none
 * @param epoch the current epoch; if it cannot be read, the newest that the asked node knows
 * @param nodes each node as it reports itself
 * @param pause null unless firing is paused
 * @param standingPauses the open pauses of apps, tags and handlers, as last read
 * @param hold null unless automatic takeover is on hold
 * @param history the latest role changes, newest first; null if they cannot be read
 */
public record PairState(
        String master,
        long epoch,
        List<Node> nodes,
        Pause pause,
        List<Pause> standingPauses,
        TakeoverHold hold,
        FailoverReady failoverReady,
        List<RoleEvent> history) {
    /**
     * The state of one node.
     *
     * @param electionState null if the node did not answer; {@code error} gives the reason then
     * @param connections null if the node did not answer
     * @param fastTakeover null if the node did not answer
     * @param nodeResources null if the node did not answer
     * @param firing null if the node did not answer
     */
    public record Node(
            String id,
            ElectionState electionState,
            Addresses addresses,
            ConnectionStates connections,
            FastTakeoverState fastTakeover,
            NodeResources nodeResources,
            Build build,
            Firing firing,
            String error) {}

    /**
     * Whether the node starts and records planned fires, as far as it knows.
     *
     * @param lagMillis age of the oldest slot that is due and not started, or ended and not recorded
     * @param obstacle why the node fires nothing; null if there is no obstacle
     * @param slotsInDoubt the number of slots found in doubt within the last 24 hours; they may have run on a primary
     *     that was lost together with its master
     * @param standingPauses the number of open pauses of apps, tags and handlers
     * @param parkedRuns the number of runs whose outcome comes by a callback
     * @param warnings what a person should know although the node may fire, a sentence each
     */
    public record Firing(
            long lagMillis,
            String obstacle,
            long slotsInDoubt,
            long standingPauses,
            long parkedRuns,
            List<String> warnings) {}

    /**
     * The node's process and build.
     *
     * @param incarnation differs after each start
     * @param schema the version of the database schema when the node joined; null if not known
     * @param knownSchema the newest schema version that the build knows; null if not known
     */
    public record Build(String incarnation, String version, String schema, Integer knownSchema) {}

    /**
     * The node's workers, heap and clock.
     *
     * @param queuedRuns how many runs wait for a worker
     * @param heapSize how many fire times are in the heap; 0 on a standby
     * @param clockOffsetMillis how far the database's clock is ahead of this machine's
     */
    public record NodeResources(int workers, int activeWorkers, int queuedRuns, int heapSize, long clockOffsetMillis) {}

    /**
     * The node's part in fast takeover, which does not wait for a ZooKeeper session to time out.
     *
     * @param lockHeld whether the node has the master's database lock
     * @param obstacle why the node's part is not ready; null if it is ready
     */
    public record FastTakeoverState(boolean lockHeld, String obstacle) {
        public boolean armed() {
            return obstacle == null;
        }
    }

    /**
     * The node's role in the pair.
     *
     * @param role STANDBY, PROMOTING, MASTER, DEMOTING or STOPPED
     * @param latchHeld whether the node held the latch at its last check
     * @param onHold whether automatic takeover is on hold, as far as the node knows
     * @param heldBack why the node does not take over from a lost master; null if nothing prevents it
     */
    public record ElectionState(
            String role, long epoch, boolean latchHeld, boolean paused, boolean onHold, String heldBack) {}

    /**
     * The node's listen addresses.
     *
     * @param http as a URL
     * @param jmx as {@code host:port}
     */
    public record Addresses(String http, String jmx) {}

    /**
     * The node's connections to ZooKeeper and the database.
     *
     * @param zooKeeper the state of the connection, as Curator names it
     * @param heartbeatAgeMillis the age of the master's last heartbeat by the database's clock; null if not known
     */
    public record ConnectionStates(String zooKeeper, boolean databaseReached, Long heartbeatAgeMillis) {}

    /**
     * Whether a failover would succeed now; if not, the reasons say what is missing.
     *
     * @param notes the tasks that a successor would not fire, although the failover succeeds
     * @param gap how long nothing would fire; null if no node would take over
     */
    public record FailoverReady(boolean ready, List<String> reasons, List<String> notes, Gap gap) {}

    /**
     * How long nothing would fire if the master died now.
     *
     * @param timings the estimated duration of each part of the promotion
     * @param basis the measurement that each estimate is based on
     */
    public record Gap(PromotionTimings timings, String basis) {
        public double millis() {
            return timings.total();
        }
    }

    /**
     * The duration of each of the five parts of a promotion, in milliseconds. A part is null if it did not occur or is
     * not known yet.
     *
     * @param detectMillis from the old master's last sign of life until its loss was certain
     * @param latchMillis until the new master held the latch
     * @param fenceMillis until the next epoch was open; includes a handover that the old master was asked for
     * @param rebuildMillis until the first page of the task heap was loaded
     * @param firstFireMillis until the first handler started; counted from its fire time if that came later
     */
    public record PromotionTimings(
            Double detectMillis, Double latchMillis, Double fenceMillis, Double rebuildMillis, Double firstFireMillis) {

        /** Returns the timings of a promotion from the steps in the role history. */
        public static PromotionTimings of(Map<String, Long> stepMicros) {
            Long fence = stepMicros.get("fence");
            return new PromotionTimings(
                    millis(stepMicros.get("detect")),
                    millis(stepMicros.get("latch")),
                    millis(fence == null ? null : fence + stepMicros.getOrDefault("hand-over", 0L)),
                    millis(stepMicros.get("rebuild")),
                    millis(stepMicros.get("first fire")));
        }

        private static Double millis(Long micros) {
            return micros == null ? null : Double.valueOf(Math.round(micros / 100.0) / 10.0);
        }

        /** The sum of the known parts. */
        public double total() {
            double sum =
                    or0(detectMillis) + or0(latchMillis) + or0(fenceMillis) + or0(rebuildMillis) + or0(firstFireMillis);
            return Math.round(sum * 10) / 10.0;
        }

        private static double or0(Double part) {
            return Objects.requireNonNullElse(part, 0.0);
        }
    }

    /**
     * A change of role.
     *
     * @param stepMicros the duration of each step in microseconds, in the order of the steps
     * @param inDoubt the slots that a new master found in doubt; null if there are none
     */
    public record RoleEvent(
            long atMillis,
            String node,
            long epoch,
            Change change,
            String reason,
            Map<String, Long> stepMicros,
            SlotsInDoubt.SlotList inDoubt) {}

    public record Change(String from, String to, long tookMillis) {}
}
