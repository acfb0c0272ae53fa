package io.twinbell.node.api.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Refuses requests that a browser may send on behalf of a foreign page, and ambiguous requests. A foreign Host is
 * refused on every request. A foreign Origin, a cross-site request and a content type that forms can send are refused
 * on every method but GET and HEAD. A header that overrides the method is refused, because a filter in front of the
 * node sees only the method of the request line.
 */
public final class RequestGuard extends Handler.Wrapper {
    /** The name of a port that answers health checks only. */
    public static final String HEALTH_ONLY = "health";

    private static final String HEALTH_PATH = "/health/";
    private static final Set<String> READS = Set.of("GET", "HEAD");
    private static final String SITE = "Sec-Fetch-Site";
    private static final Set<String> OWN_SITE = Set.of("same-origin", "none");
    private static final Set<String> TYPES =
            Set.of("application/json", "application/merge-patch+json", "text/calendar");
    private static final Set<String> CHARSETS = Set.of("utf-8", "utf8", "us-ascii");

    private final OwnHosts hosts;

    /** @param hosts names and addresses of this node, and {@code *.domain} for all names below a domain */
    public RequestGuard(List<String> hosts) {
        this.hosts = new OwnHosts(hosts);
    }

    /**
     * Sets the headers of every answer, also of refusals. Answers may contain tokens and data of tasks, so nobody stores
     * them; the console's files say otherwise. HSTS lasts for a day only, because it holds for all ports of a host.
     */
    public static void protect(Request request, HttpFields.Mutable headers) {
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        headers.put("X-Content-Type-Options", "nosniff");
        if (request.isSecure()) {
            headers.put(HttpHeader.STRICT_TRANSPORT_SECURITY, "max-age=86400");
        }
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        protect(request, response.getHeaders());
        Optional<EarlyRefusal> refusal = refusal(request);
        if (refusal.isPresent()) {
            refusal.get().write(request, response, callback);
            return true;
        }
        return super.handle(request, response, callback);
    }

    private Optional<EarlyRefusal> refusal(Request request) {
        HttpFields headers = request.getHeaders();
        return otherThanHealth(request)
                .or(() -> foreignHost(request))
                .or(() -> methodOverride(headers))
                .or(() -> READS.contains(request.getMethod()) ? Optional.empty() : foreignWrite(request));
    }

    private static Optional<EarlyRefusal> otherThanHealth(Request request) {
        boolean isHealthPort = HEALTH_ONLY.equals(
                request.getConnectionMetaData().getConnector().getName());
        return !isHealthPort || request.getHttpURI().getCanonicalPath().startsWith(HEALTH_PATH)
                ? Optional.empty()
                : refused(404, "this port answers health checks only, such as /health/ready");
    }

    /** HTTP/1.0 needs no Host, and health checks of load balancers leave it out; browsers always send one. */
    private Optional<EarlyRefusal> foreignHost(Request request) {
        String header = request.getHeaders().get(HttpHeader.HOST);
        String target = request.getHttpURI().getHost();
        for (String host : new String[] {header, header == null ? null : target}) {
            if (host != null
                    && !hosts.contains(host, request.getConnectionMetaData().getLocalSocketAddress())) {
                return refused(
                        421,
                        "this node refuses the host \"" + shown(host)
                                + "\"; use one of the node's own addresses or its http.host, or add the name to"
                                + " http.allowedHosts in the node's configuration");
            }
        }
        return Optional.empty();
    }

    private static Optional<EarlyRefusal> methodOverride(HttpFields headers) {
        for (HttpField header : headers) {
            String name = header.getLowerCaseName().replace('_', '-');
            if (name.endsWith("method-override") || name.equals("x-http-method")) {
                return refused(
                        400, "the header " + shown(header.getName()) + " is not supported; use the method itself");
            }
        }
        return Optional.empty();
    }

    private static Optional<EarlyRefusal> foreignWrite(Request request) {
        HttpFields headers = request.getHeaders();
        return foreignPage(request, headers).or(() -> contentType(headers)).or(() -> contentEncoding(headers));
    }

    private static Optional<EarlyRefusal> foreignPage(Request request, HttpFields headers) {
        for (String site : headers.getValuesList(SITE)) {
            if (!OWN_SITE.contains(site.strip().toLowerCase(Locale.ROOT))) {
                return refused(
                        403,
                        "a page of another site may not send write requests (Sec-Fetch-Site: " + shown(site) + ")");
            }
        }
        for (String origin : headers.getValuesList(HttpHeader.ORIGIN)) {
            if (!isSame(origin, headers.get(HttpHeader.HOST), request.isSecure())) {
                return refused(
                        403, "a page of another origin may not send write requests (Origin: " + shown(origin) + ")");
            }
        }
        return Optional.empty();
    }

    /**
     * An origin omits its scheme's default port, and so does the Host that belongs to it. A node without TLS may be behind
     * a proxy with TLS, so only a node with TLS knows the scheme of its pages.
     */
    private static boolean isSame(String origin, String host, boolean isSecure) {
        int scheme = origin.indexOf("://");
        return host != null
                && scheme > 0
                && (!isSecure || origin.substring(0, scheme).strip().equalsIgnoreCase("https"))
                && origin.strip().substring(scheme + 3).equalsIgnoreCase(host.strip());
    }

    /** Checks requests without a body too: a form may be empty, and a page may send one to any site. */
    private static Optional<EarlyRefusal> contentType(HttpFields headers) {
        for (String field : headers.getValuesList(HttpHeader.CONTENT_TYPE)) {
            String[] parts = field.split(";");
            String type = parts[0].strip().toLowerCase(Locale.ROOT);
            if (!TYPES.contains(type)) {
                return refused(415, "send the header Content-Type: application/json; it was \"" + shown(field) + "\"");
            }
            for (int i = 1; i < parts.length; i++) {
                String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
                String charset = parameter
                        .substring(parameter.indexOf('=') + 1)
                        .replace("\"", "")
                        .strip();
                if (parameter.startsWith("charset") && !CHARSETS.contains(charset)) {
                    return refused(415, "send the body as UTF-8; its charset was \"" + shown(charset) + "\"");
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<EarlyRefusal> contentEncoding(HttpFields headers) {
        String encoding = headers.get(HttpHeader.CONTENT_ENCODING);
        return encoding == null || encoding.strip().equalsIgnoreCase("identity")
                ? Optional.empty()
                : refused(415, "send the body without a Content-Encoding; " + shown(encoding) + " is not supported");
    }

    private static Optional<EarlyRefusal> refused(int status, String detail) {
        return Optional.of(new EarlyRefusal(status, detail));
    }

    private static String shown(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "…";
    }

    /**
     * The host names and addresses that clients may use for this node. In a DNS rebinding attack a browser sends a
     * foreign name as Host that resolves to this machine, so unknown names are refused.
     */
    private static final class OwnHosts {
        private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
        private static final String LOCALHOST = "localhost";
        private static final String ANY_BELOW = "*.";

        private final Set<String> names = new TreeSet<>();
        private final Set<String> domains = new TreeSet<>();
        private final Set<InetAddress> addresses = new HashSet<>();

        OwnHosts(List<String> configured) {
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
         * Returns the host in lower case, without the brackets of an IPv6 address and without the final dot of an
         * absolute name.
         */
        private static String normalized(String host) {
            String lower = host.strip().toLowerCase(Locale.ROOT);
            if (lower.startsWith("[") && lower.endsWith("]")) {
                return lower.substring(1, lower.length() - 1);
            }
            return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
        }
    }
}
