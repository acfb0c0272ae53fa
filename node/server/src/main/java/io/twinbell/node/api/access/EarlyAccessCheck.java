package io.twinbell.node.api.access;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.ClientNetwork;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.RequestRate;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.server.EarlyRefusal;
import io.twinbell.node.api.server.FairAdmission;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * Refuses requests without sufficient credentials before their body takes memory, and before they take a place among
 * the concurrent requests. A refused token is answered late, without a thread that waits. {@link AccessCheck} decides
 * again, and about roles and apps.
 */
public final class EarlyAccessCheck implements Function<Request, Optional<EarlyRefusal>> {
    private static final int UNAUTHORIZED = 401;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final String HEALTH = "/health/";

    /** The path under which a node asks the other one about itself. */
    public static final String OF_PEERS = "/api/v1/cluster/self";

    /**
     * The maximum number of requests that wait for a resolver here, because it may read the database. Further requests
     * are decided on the threads of the routes, whose number is bounded.
     */
    private static final int MOST_RESOLVING = 8;

    private final ApiAccess access;
    private final List<Pattern> templates;
    private final List<Route> routes;
    private final Semaphore resolving = new Semaphore(MOST_RESOLVING);

    public EarlyAccessCheck(ApiAccess access, List<Route> routes) {
        this.access = access;
        this.routes = routes;
        templates = routes.stream()
                .map(route -> Pattern.compile(route.path().replaceAll("\\{\\w+}", "[^/]+")))
                .toList();
    }

    /** Whether this is a request that must be answered during a flood: a health check, or one of the other node. */
    public static boolean isUrgent(Request request) {
        String path = request.getHttpURI().getCanonicalPath();
        return path.startsWith(HEALTH) || path.equals(OF_PEERS);
    }

    /** @return empty if the request may go on */
    @Override
    public Optional<EarlyRefusal> apply(Request request) {
        RequestRate rate = access.quotas().ofAddress();
        if (!isUrgent(request) && !rate.admits(ClientNetwork.of(Request.getRemoteAddr(request)))) {
            return Optional.of(new EarlyRefusal(
                    TOO_MANY_REQUESTS, "an address may send " + rate.perSecond() + " requests a second to this node"));
        }
        try {
            return withoutCredentials(request);
        } catch (UncheckedCredentialsException e) {
            return Optional.of(EarlyRefusal.unchecked(e.getMessage(), e.retryAfterSeconds()));
        }
    }

    private Optional<EarlyRefusal> withoutCredentials(Request request) {
        AccessPolicy policy = access.policy();
        AccessRule rule = policy.isOpen() ? AccessRule.OPEN : rule(request);
        if (rule.permission() == null) {
            return Optional.empty();
        }
        String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
        if (header != null) {
            return mayBeKnown(header, request)
                    ? Optional.empty()
                    : Optional.of(new EarlyRefusal(UNAUTHORIZED, AccessCheck.UNKNOWN, delay(request))
                            .of(AccessCheck.credentials(header)
                                    .flatMap(policy::formerHolder)
                                    .orElse(null)));
        }
        if (hasSession(request)) {
            return Optional.empty();
        }
        Optional<Principal> principal = policy.withoutCredentials(ClientCertificate.commonName(request));
        if (principal.isEmpty()) {
            return Optional.of(new EarlyRefusal(UNAUTHORIZED, AccessCheck.needsToken(policy))
                    .of(ClientCertificate.auditName(request)));
        }
        return policy.isAnonymous(principal.get()) && !principal.get().may(rule.permission())
                ? Optional.of(new EarlyRefusal(UNAUTHORIZED, AccessCheck.mayOnlyRead(policy)))
                : Optional.empty();
    }

    /** The routes decide what the principal of a session may do. */
    private boolean hasSession(Request request) {
        String cookie = request.getHeaders().get(HttpHeader.COOKIE);
        if (cookie == null || !resolving.tryAcquire()) {
            return cookie != null;
        }
        try {
            return recognized(SessionCookie.principal(cookie, access.sessions()), request);
        } finally {
            resolving.release();
        }
    }

    private static boolean recognized(Optional<Principal> principal, Request request) {
        principal.ifPresent(known -> request.setAttribute(FairAdmission.PRINCIPAL, known.name()));
        return principal.isPresent();
    }

    private Duration delay(Request request) {
        return access.attempts().failed(Request.getRemoteAddr(request));
    }

    /** A request to an unknown path goes on, and is answered that there is no such path. */
    private AccessRule rule(Request request) {
        String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
        String path = request.getHttpURI().getCanonicalPath();
        for (int i = 0; i < templates.size(); i++) {
            Route route = routes.get(i);
            if (route.method().name().equals(method)
                    && templates.get(i).matcher(path).matches()) {
                return access.opensMetrics() && route.path().equals(AccessCheck.METRICS)
                        ? AccessRule.OPEN
                        : route.access();
            }
        }
        return AccessRule.OPEN;
    }

    private boolean mayBeKnown(String header, Request request) {
        Optional<String> credentials = AccessCheck.credentials(header);
        if (credentials.isPresent() && recognized(access.policy().recall(credentials.get()), request)) {
            return true;
        }
        if (credentials.isEmpty() || !resolving.tryAcquire()) {
            return true;
        }
        try {
            return recognized(access.policy().resolve(credentials.get()), request);
        } finally {
            resolving.release();
        }
    }
}
