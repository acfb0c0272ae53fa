package io.twinbell.node.api.server;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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

    public RequestGuard(OwnHosts hosts) {
        this.hosts = hosts;
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
}
