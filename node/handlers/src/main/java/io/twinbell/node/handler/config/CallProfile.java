package io.twinbell.node.handler.config;

import io.twinbell.node.tls.TlsFiles;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * How the http tasks and alerts that name this profile make their calls.
 *
 * @param proxy null for none
 * @param tls the client certificate, and the authorities that receivers' certificates must be issued by
 * @param hosts the only receivers; empty for every receiver
 * @param apps the only apps whose tasks may use it; empty for every app, and for alerts
 */
public record CallProfile(Proxy proxy, TlsFiles tls, HostList hosts, Set<String> apps) {
    /**
     * A proxy that is reached without TLS.
     *
     * @param host an IPv6 address has no brackets
     * @param user null for a proxy that asks for no login
     * @param password null without a user
     */
    public record Proxy(String host, int port, String user, String password) {
        /** Leaves the password out, because configurations are logged. */
        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /** The passwords of the proxy and of the key. */
    public Stream<String> passwords() {
        return Stream.of(proxy == null ? null : proxy.password(), tls.password())
                .filter(Objects::nonNull);
    }
}
