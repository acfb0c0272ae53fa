package io.twinbell.tools.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The node beside this command line, as the scripts describe it, and the other node, which that node knows. */
public final class InstalledPair {
    /** System property with the address of the node. */
    private static final String NODE = "twinbell.node";

    /** System property with the file of the node's admin token. */
    private static final String ADMIN_TOKEN = "twinbell.adminToken";

    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    private InstalledPair() {}

    /** Asked once in the life of the process. */
    private static final class Known {
        static final List<String> ADDRESSES = find();
    }

    /** The addresses of both nodes, the own one first; empty if no node is installed. */
    public static List<String> addresses() {
        return Known.ADDRESSES;
    }

    /** If the own node does not answer, only its own address is known. */
    private static List<String> find() {
        String own = System.getProperty(NODE);
        if (own == null) {
            return List.of();
        }
        try {
            TokenSource ownToken = node -> adminTokenFile().flatMap(TokenSource::read);
            return addresses(own, new NodeClient(URI.create(own), LOOK, ownToken), new CommandClock());
        } catch (NodeException | IllegalArgumentException e) {
            // The next request to the node reports the error.
            return List.of(own);
        }
    }

    /**
     * The own address and those of the nodes that the own node knows. A node that has just started knows from the
     * database who is master before it has read the master's entry in ZooKeeper, so it is asked again for a while.
     */
    static List<String> addresses(String own, NodeClient node, CommandClock clock) throws NodeException {
        long began = clock.nanos();
        JsonNode cluster = node.get("/api/v1/cluster");
        while (isMasterMissing(cluster) && clock.since(began).compareTo(LOOK) < 0) {
            clock.sleep(BETWEEN_LOOKS);
            cluster = node.get("/api/v1/cluster");
        }
        Set<String> known = new LinkedHashSet<>(List.of(own));
        cluster.path("nodes").forEach(other -> known.add(other.path("http").asText(own)));
        return List.copyOf(known);
    }

    private static boolean isMasterMissing(JsonNode cluster) {
        return cluster.path("master").isTextual()
                && cluster.path("nodes").findValuesAsText("id").stream()
                        .noneMatch(cluster.path("master").textValue()::equals);
    }

    /** The admin token, for this machine and the nodes of the pair only: another server must not learn it. */
    static Optional<String> adminToken(URI node) {
        Optional<Path> file = adminTokenFile();
        return file.isPresent() && (isLoopback(node) || isOfPair(node))
                ? file.flatMap(TokenSource::read)
                : Optional.empty();
    }

    private static Optional<Path> adminTokenFile() {
        return Optional.ofNullable(System.getProperty(ADMIN_TOKEN)).map(Path::of);
    }

    private static boolean isLoopback(URI node) {
        String host = node.getHost();
        try {
            return host.equals("localhost")
                    || host.matches("127\\.[0-9.]+|\\[?::1]?")
                            && InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** The scheme must be the pair's own: the token of nodes with TLS must not travel unencrypted. */
    private static boolean isOfPair(URI node) {
        return addresses().stream()
                .map(URI::create)
                .anyMatch(known -> known.getScheme().equals(node.getScheme())
                        && known.getAuthority().equals(node.getAuthority()));
    }
}
