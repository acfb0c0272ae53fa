package io.twinbell.ops.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;

/**
 * One node, as it sees itself.
 *
 * @param id null if the node did not answer
 * @param jmx {@code host:port}, or null if unknown
 */
public record NodeStatus(String id, String role, long epoch, String http, String jmx) {
    private static final String UNREACHABLE = "UNREACHABLE";

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
                self.path("jmx").asText(null));
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
