package io.twinbell.node.api.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The host names and addresses that clients may use for this node. In a DNS rebinding attack a browser sends a foreign
 * name as Host that resolves to this machine, so unknown names are refused.
 */
public final class OwnHosts {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final String LOCALHOST = "localhost";
    private static final String ANY_BELOW = "*.";

    private final Set<String> names = new TreeSet<>();
    private final Set<String> domains = new TreeSet<>();
    private final Set<InetAddress> addresses = new java.util.HashSet<>();

    /** @param configured names, addresses, and {@code *.domain} for all names below a domain */
    public OwnHosts(Collection<String> configured) {
        for (String entry : configured) {
            String host = normalized(entry);
            Optional<InetAddress> address = address(host);
            if (address.isPresent()) {
                addresses.add(address.get());
            } else if (host.startsWith(ANY_BELOW)) {
                domains.add(host.substring(1));
            } else {
                names.add(host);
            }
        }
    }

    /**
     * Whether a Host header names this node. The port is ignored, because port forwarding changes it.
     *
     * @param local the local address of the connection
     */
    boolean contains(String hostHeader, SocketAddress local) {
        String host = normalized(withoutPort(hostHeader));
        Optional<InetAddress> address = address(host);
        if (address.isPresent()) {
            return isOwn(address.get(), local);
        }
        return host.equals(LOCALHOST)
                || host.endsWith("." + LOCALHOST)
                || names.contains(host)
                || domains.stream().anyMatch(host::endsWith);
    }

    private boolean isOwn(InetAddress address, SocketAddress local) {
        if (address.isLoopbackAddress() || addresses.contains(address)) {
            return true;
        }
        if (local instanceof InetSocketAddress arrival && address.equals(arrival.getAddress())) {
            return true;
        }
        try {
            return !address.isAnyLocalAddress() && NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /** Returns empty for a name: a header must never cause a DNS query. */
    private static Optional<InetAddress> address(String host) {
        boolean isIpv6 = host.indexOf(':') >= 0 && host.indexOf('%') < 0;
        if (!isIpv6 && !IPV4.matcher(host).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(isIpv6 ? "[" + host + "]" : host));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static String withoutPort(String hostHeader) {
        String host = hostHeader.strip();
        int bracket = host.lastIndexOf(']');
        int colon = host.indexOf(':', Math.max(bracket, 0));
        return colon < 0 ? host : host.substring(0, colon);
    }

    /**
     * Returns the host in lower case, without the brackets of an IPv6 address and without the final dot of an absolute
     * name.
     */
    private static String normalized(String host) {
        String lower = host.strip().toLowerCase(Locale.ROOT);
        if (lower.startsWith("[") && lower.endsWith("]")) {
            return lower.substring(1, lower.length() - 1);
        }
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
