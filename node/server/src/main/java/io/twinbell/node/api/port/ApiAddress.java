package io.twinbell.node.api.port;

import io.twinbell.node.tls.LiveTls;
import java.util.List;
import java.util.stream.Stream;

/**
 * The address on which the API listens.
 *
 * @param port 0 for any free port
 * @param allowedHosts further host names that clients may use for this node
 * @param tls the keys and certificates; null for HTTP without TLS
 * @param health a second port for health checks only, without TLS; null for none
 */
public record ApiAddress(String host, int port, List<String> allowedHosts, LiveTls tls, HealthAddress health) {
    public ApiAddress(String host, int port) {
        this(host, port, List.of());
    }

    public ApiAddress(String host, int port, List<String> allowedHosts) {
        this(host, port, allowedHosts, null, null);
    }

    /** Returns every configured host name of this node. */
    public List<String> hosts() {
        return Stream.concat(Stream.of(host), allowedHosts.stream()).toList();
    }

    /** @param port 0 for any free port */
    public record HealthAddress(String host, int port) {}
}
