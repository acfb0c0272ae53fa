package io.twinbell.node.handler.http;

import io.twinbell.node.handler.config.AddressRange;
import io.twinbell.node.handler.config.HostList;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;

/**
 * Decides which receivers HTTP tasks may call: all, or only the hosts and addresses of an allow-list. Link-local
 * addresses, and the addresses of cloud metadata services that serve machine credentials, are refused unless the list
 * contains them as addresses.
 */
final class CallTargets {
    private static final List<AddressRange> NEVER_BY_NAME = Stream.of(
                    "169.254.0.0/16",
                    "fe80::/10",
                    // AWS, Google, Oracle, Alibaba and Azure, beside their link-local addresses
                    "fd00:ec2::/32",
                    "fd20:ce::/32",
                    "192.0.0.192",
                    "100.100.100.200",
                    "168.63.129.16")
            .map(text -> AddressRange.parse(text).orElseThrow())
            .toList();

    private final HostList allow;

    /** @param allow the allow-list; empty to allow every receiver */
    CallTargets(HostList allow) {
        this.allow = allow;
    }

    /**
     * Returns those of a host's addresses that may be called.
     *
     * @throws TargetRefusedException if there is none
     */
    List<InetAddress> allowed(String host, InetAddress[] resolved) throws TargetRefusedException {
        List<InetAddress> allowed = Stream.of(resolved)
                .filter(address -> refusal(host, address).isEmpty())
                .toList();
        if (allowed.isEmpty()) {
            throw new TargetRefusedException(refusal(host, resolved[0]).orElse(host + " has no address"));
        }
        return allowed;
    }

    /**
     * Checks a host that a proxy looks up again: each of its addresses must be allowed, because the proxy may take any.
     *
     * @param listed the hosts of the profile
     * @throws UnknownHostException if it may not be called, or if this node does not know its addresses and no list
     *     has its name
     */
    void checkForProxy(String host, HostList listed) throws UnknownHostException {
        InetAddress[] addresses;
        try {
            addresses = SystemDefaultDnsResolver.INSTANCE.resolve(host);
        } catch (UnknownHostException e) {
            if (allow.names(host) || allow.isEmpty() && listed.names(host)) {
                return;
            }
            throw new TargetRefusedException("this node does not know the addresses of " + host
                    + ", so the host must be named in handlers.http.allow or in the hosts of the http profile");
        }
        for (InetAddress address : addresses) {
            Optional<String> refusal = refusal(host, address);
            if (refusal.isPresent()) {
                throw new TargetRefusedException(refusal.get());
            }
        }
    }

    /**
     * Returns why the host may not be called, if that is certain without a lookup: it is a refused address, or a name
     * that no entry of the list can match.
     */
    Optional<String> refusal(String host) {
        Optional<InetAddress> address = AddressRange.literal(host);
        if (address.isPresent()) {
            return refusal(host, address.get());
        }
        return allow.isEmpty() || !allow.ranges().isEmpty() || allow.names(host)
                ? Optional.empty()
                : Optional.of(notListed(host));
    }

    private Optional<String> refusal(String host, InetAddress address) {
        if (allow.covers(address)) {
            return Optional.empty();
        }
        List<InetAddress> embedded = AddressRange.embedded(address);
        if (NEVER_BY_NAME.stream()
                .anyMatch(range -> range.contains(address) || embedded.stream().anyMatch(range::contains))) {
            return Optional.of(host + " is " + address.getHostAddress()
                    + ", a link-local or metadata address; to allow it, add this address to handlers.http.allow");
        }
        return allow.isEmpty() || allow.names(host) ? Optional.empty() : Optional.of(notListed(host));
    }

    private static String notListed(String host) {
        return host + " is not in the list of allowed targets, handlers.http.allow";
    }

    /** Extends {@link UnknownHostException}, because a DNS lookup may throw that. */
    static final class TargetRefusedException extends UnknownHostException {
        private static final long serialVersionUID = 1L;

        TargetRefusedException(String reason) {
            super("target refused: " + reason);
        }
    }
}
