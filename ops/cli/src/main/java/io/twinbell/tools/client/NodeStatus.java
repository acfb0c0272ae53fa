package io.twinbell.tools.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One node's own view of its state.
 *
 * @param id null if the node did not answer
 * @param jmx {@code host:port}, or null if unknown
 * @param isPaused whether all firing is paused, as far as the node knows
 * @param isOnHold whether automatic takeover is on hold, as far as the node knows
 * @param heldBack why the node does not take over from a lost master; null if nothing prevents it
 * @param nodeResources the state of the node's firing, with its counts
 */
public record NodeStatus(
        String id,
        String role,
        long epoch,
        String http,
        String jmx,
        boolean isPaused,
        boolean isOnHold,
        String heldBack,
        NodeResources nodeResources) {
    /**
     * The state of a node's firing, with its counts.
     *
     * @param lagMillis age of the oldest slot that is due and not started, or ended and not recorded
     * @param notFiring why the node fires nothing; null if nothing prevents it
     * @param slotsInDoubt how many slots were found in doubt within 24 hours
     * @param standingPauses how many apps, tags and handlers are paused
     * @param parkedRuns how many executions wait for a callback
     * @param warnings what a person should know although the node may fire
     */
    public record NodeResources(
            boolean databaseReached,
            boolean zooKeeperReached,
            long lagMillis,
            String notFiring,
            long slotsInDoubt,
            long standingPauses,
            long parkedRuns,
            List<String> warnings) {
        static final NodeResources WHOLE = new NodeResources(true, true, 0, null, 0, 0, 0, List.of());
    }

    private static final String UNREACHABLE = "UNREACHABLE";
    /** Curator's names of the connection states. */
    private static final Set<String> REACHES_ZOOKEEPER = Set.of("CONNECTED", "RECONNECTED");

    /** A node that knows of no pause and no hold. */
    public NodeStatus(String id, String role, long epoch, String http, String jmx) {
        this(id, role, epoch, http, jmx, false, false, null);
    }

    /** A node that fires. */
    public NodeStatus(
            String id,
            String role,
            long epoch,
            String http,
            String jmx,
            boolean isPaused,
            boolean isOnHold,
            String heldBack) {
        this(id, role, epoch, http, jmx, isPaused, isOnHold, heldBack, NodeResources.WHOLE);
    }

    static NodeStatus unreachable(URI url) {
        return new NodeStatus(null, UNREACHABLE, 0, url.toString(), null);
    }

    /** Parses a node's answer to {@code GET /api/v1/cluster/self}, which asks no other node. */
    static NodeStatus of(URI asked, JsonNode self) {
        List<String> warnings = new ArrayList<>();
        self.path("warnings").forEach(warning -> warnings.add(warning.asText()));
        return new NodeStatus(
                self.path("id").asText(),
                self.path("role").asText(),
                self.path("epoch").asLong(),
                asked.toString(),
                self.path("jmx").asText(null),
                self.path("paused").asBoolean(),
                self.path("onHold").asBoolean(),
                self.path("heldBack").asText(null),
                new NodeResources(
                        self.path("databaseReached").asBoolean(true),
                        REACHES_ZOOKEEPER.contains(self.path("zooKeeper").asText("CONNECTED")),
                        self.path("lagMillis").asLong(),
                        self.path("notFiring").asText(null),
                        self.path("slotsInDoubt").asLong(),
                        self.path("standingPauses").asLong(),
                        self.path("parkedRuns").asLong(),
                        warnings));
    }

    /** Why the master does not fire; empty if it does, or if the node is not master. */
    public Optional<String> notFiring() {
        if (!isMaster()) {
            return Optional.empty();
        }
        return nodeResources.notFiring() == null && !nodeResources.databaseReached()
                ? Optional.of("it does not reach the database")
                : Optional.ofNullable(nodeResources.notFiring());
    }

    /** Whether the node is a standby that reaches everything that a takeover needs, and no hold forbids it. */
    public boolean couldTakeOver() {
        return isStandby() && !isOnHold && nodeResources.databaseReached() && nodeResources.zooKeeperReached();
    }

    public boolean isReachable() {
        return id != null;
    }

    public boolean isMaster() {
        return role.equals("MASTER");
    }

    public boolean isStandby() {
        return role.equals("STANDBY");
    }

    public String line() {
        if (!isReachable()) {
            return "? " + UNREACHABLE + " http=" + http;
        }
        return id + " " + role + " epoch=" + epoch + " http=" + http + (jmx == null ? "" : " jmx=" + jmx);
    }
}
