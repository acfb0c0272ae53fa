package io.twinbell.daemon.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.twinbell.ha.latch.Peer;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.TokenSource;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Checks the running nodes by asking them over HTTP. */
final class PairCheck {
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final String SELF = "/api/v1/cluster/self";

    private final NodeConfig config;
    private final String version;
    private final Findings findings;

    /** @param version the version of this build */
    PairCheck(NodeConfig config, String version, Findings findings) {
        this.config = config;
        this.version = version;
        this.findings = findings;
    }

    /** The answer of the node at this configuration's address; missing if there is none. */
    JsonNode self() {
        NodeConfig.Endpoint http = config.listeners().http();
        if (!http.isEnabled()) {
            return MissingNode.getInstance();
        }
        try {
            return ownNode().get(SELF);
        } catch (NodeException | IllegalArgumentException e) {
            return MissingNode.getInstance();
        }
    }

    /**
     * A client for this configuration's node. It sends the admin token to the configured address only, never to an
     * address from ZooKeeper.
     */
    private NodeClient ownNode() {
        NodeConfig.Endpoint http = config.listeners().http();
        String host = http.host().equals("0.0.0.0") || http.host().equals("::") ? "127.0.0.1" : http.host();
        String scheme = config.listeners().encryption().tls().isServer() ? "https://" : "http://";
        URI address = URI.create(scheme + NodeConfig.Endpoint.address(host, Integer.toString(http.port())));
        Path adminToken = config.listeners().access().adminToken();
        return new NodeClient(
                address, LIMIT, adminToken == null ? TokenSource.USUAL : TokenSource.ofEnvironmentOr(adminToken));
    }

    /** @param nodes the nodes that have an entry in ZooKeeper */
    void check(List<Peer> nodes) {
        List<Peer> others = nodes.stream()
                .filter(node -> !node.node().equals(config.nodeId()))
                .toList();
        if (others.isEmpty()) {
            findings.warn(
                    "other node",
                    "none has joined",
                    "start it; until then no node can take over, and its address is not checked");
        }
        others.forEach(this::ask);
        nodes.stream()
                .filter(node -> node.node().equals(config.nodeId()))
                .findFirst()
                .ifPresent(this::askForReadiness);
    }

    private void ask(Peer other) {
        try {
            JsonNode answer = new NodeClient(URI.create(other.http()), LIMIT).get(SELF);
            String theirs = answer.path("version").asText();
            String said =
                    other.node() + " " + answer.path("role").asText() + " at " + other.http() + ", version " + theirs;
            if (theirs.equals(version)) {
                findings.ok("other node", said);
            } else {
                findings.warn(
                        "other node", said + "; this build is " + version, "upgrade the older one, the standby first");
            }
        } catch (NodeException.Refused e) {
            findings.warn(
                    "other node",
                    other.node() + " at " + other.http() + " does not tell its version: " + e.getMessage(),
                    "set TWINBELL_TOKEN to a token of the pair");
        } catch (NodeException | IllegalArgumentException e) {
            findings.fail(
                    "other node",
                    other.node() + " has registered " + other.http() + "; " + e.getMessage(),
                    "let the nodes reach each other's HTTP port, and set http.host to an address that the other node"
                            + " can call");
        }
    }

    /**
     * Asks this configuration's own node, if it runs, because it can judge the pair better than an observer from
     * outside.
     */
    private void askForReadiness(Peer own) {
        try {
            boolean isPortKnown = config.listeners().http().port() != 0;
            NodeClient node = isPortKnown ? ownNode() : new NodeClient(URI.create(own.http()), LIMIT);
            JsonNode ready = node.get("/api/v1/cluster").path("failoverReady");
            if (ready.path("ready").asBoolean()) {
                findings.ok("failover", "node " + own.node() + " reports that a failover would succeed now");
            }
            ready.path("reasons")
                    .forEach(reason ->
                            findings.warn("failover", reason.asText(), "see RUNBOOK.md, TwinbellFailoverNotReady"));
        } catch (NodeException | IllegalArgumentException e) {
            findings.fail(
                    "own node", own.node() + " has joined, but cannot be asked: " + e.getMessage(), "check its log");
        }
    }
}
