package io.twinbell.ops.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;

/**
 * One node, as it sees itself.
 *
 * @param id null if the node did not answer
 * @param jmx {@code host:port}, or null if unknown
 * @param isPaused whether all firing is paused, as far as it knows
 * @param isOnHold whether automatic takeover is on hold, as far as it knows
 * @param heldBack why it does not take over from a master that is gone; null if nothing keeps it from that
 */
public record NodeStatus(
        String id,
        String role,
        long epoch,
        String http,
        String jmx,
        boolean isPaused,
        boolean isOnHold,
        String heldBack) {
    private static final String UNREACHABLE = "UNREACHABLE";

    /** A node that knows of no pause and no hold. */
    public NodeStatus(String id, String role, long epoch, String http, String jmx) {
        this(id, role, epoch, http, jmx, false, false, null);
    }

    static NodeStatus unreachable(URI url) {
        return new NodeStatus(null, UNREACHABLE, 0, url.toString(), null);
    }

    /** From a node's answer to {@code GET /api/v1/cluster/self}, which asks no other node. */
    static NodeStatus of(URI asked, JsonNode self) {
        return new NodeStatus(
                self.path("id").asText(),
                self.path("role").asText(),
                self.path("epoch").asLong(),
                asked.toString(),
                self.path("jmx").asText(null),
                self.path("paused").asBoolean(),
                self.path("onHold").asBoolean(),
                self.path("heldBack").asText(null));
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
