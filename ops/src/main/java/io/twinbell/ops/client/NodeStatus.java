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

    /** The asked node's own entry in its answer to {@code GET /api/v1/cluster}. */
    static NodeStatus ownEntry(URI asked, JsonNode cluster) {
        for (JsonNode entry : cluster.path("nodes")) {
            boolean own = cluster.hasNonNull("self")
                    ? entry.path("id").asText().equals(cluster.path("self").asText())
                    : URI.create(entry.path("http").asText()).getPort() == asked.getPort();
            if (own) {
                return new NodeStatus(
                        entry.path("id").asText(),
                        entry.path("role").asText(),
                        entry.path("epoch").asLong(),
                        asked.toString(),
                        entry.path("jmx").asText(null));
            }
        }
        return unreachable(asked);
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
