package io.twinbell.node.api;

import io.javalin.config.JavalinConfig;
import io.twinbell.node.access.Refusals;
import io.twinbell.node.api.access.ApiAccess;
import io.twinbell.node.api.access.EarlyAccessCheck;
import io.twinbell.node.api.access.RequestQuotas;
import io.twinbell.node.api.access.RequestQuotas.HttpLimits;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.port.ApiAddress;
import io.twinbell.node.api.server.BodyCollector;
import io.twinbell.node.api.server.ConnectionLimits;
import io.twinbell.node.api.server.Connections;
import io.twinbell.node.api.server.EarlyRefusal;
import io.twinbell.node.api.server.FairAdmission;
import io.twinbell.node.api.server.RequestGuard;
import io.twinbell.node.api.server.RequestMemory;
import io.twinbell.node.api.server.ResponseSender;
import io.twinbell.node.api.server.TlsReload;
import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.clock.Ticker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Configures Jetty for the API, with a bound on every resource. */
final class JettySettings {
    private static final int MAX_THREADS = 40;
    private static final int MIN_THREADS = 8;
    private static final int HEALTH_THREADS = 8;
    private static final ConnectionLimits.Bounds HEALTH_BOUNDS =
            new ConnectionLimits.Bounds("http.health.port", 200, 100);
    private static final int IDLE_MILLIS = 30_000;
    private static final int KEPT_ALIVE_ON_STOP_MILLIS = 20;
    private static final int ACCEPT_QUEUE = 512;
    private static final Connections.Patience PATIENCE = new Connections.Patience(
            Duration.ofSeconds(10),
            Duration.ofMillis(IDLE_MILLIS),
            Duration.ofSeconds(60),
            Duration.ofSeconds(5),
            5 * 1024);

    /**
     * Divisors of the heap: the memory bounds for bodies of ordinary requests, for the rest of large bodies, and for
     * unsent answers.
     */
    private static final int ORDINARY_SHARE = 32;

    private static final int LARGE_SHARE = 5;
    private static final int ANSWERS_SHARE = 8;

    /** Fewer than the threads, so that health checks are answered while every request waits for the database. */
    private static final int MAX_REQUESTS = 24;

    private static final int MAX_WAITING_REQUESTS = 1000;
    private static final Duration MAX_WAIT = Duration.ofSeconds(5);
    private static final Duration STOP = Duration.ofSeconds(5);

    private JettySettings() {}

    /**
     * @param early decides early whether a request is refused
     * @param access limits the requests, and counts refused ones for the audit
     */
    static void apply(
            JavalinConfig config,
            ApiAddress address,
            Function<Request, Optional<EarlyRefusal>> early,
            ApiAccess access,
            Ticker ticker) {
        HttpLimits limits = access.quotas().limits();
        Connections connections = new Connections(PATIENCE, EarlyAccessCheck::isUrgent, ticker);
        ConnectionLimits.Bounds bounds =
                new ConnectionLimits.Bounds("the HTTP API", limits.connections(), limits.connectionsOfAddress());
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.prefer405over404 = true;
        config.http.maxRequestSize = RequestBody.MAX_BATCH_BYTES + 1L;
        config.jetty.addConnector((server, http) -> connector(server, http, address, connections.port(bounds)));
        if (address.health() != null) {
            config.jetty.addConnector(
                    (server, http) -> healthConnector(server, http, address.health(), connections.port(HEALTH_BOUNDS)));
        }
        config.jetty.threadPool = threads("http-api", MAX_THREADS);
        config.jetty.modifyServer(server -> {
            apply(server, connections, address, early, access.quotas());
            server.setErrorHandler(new JettyProblems(access.refusals()));
        });
        // A name may contain a slash. It arrives percent-encoded and must not be taken for a path separator.
        config.jetty.modifyHttpConfiguration(http -> http.setUriCompliance(UriCompliance.DEFAULT.with(
                "slashes in names",
                Violation.AMBIGUOUS_PATH_SEPARATOR,
                Violation.AMBIGUOUS_PATH_ENCODING,
                Violation.AMBIGUOUS_PATH_SEGMENT,
                Violation.SUSPICIOUS_PATH_CHARACTERS)));
        // A proxy may take a bare line feed for a part of a value, so that one request becomes two here.
        config.jetty.modifyHttpConfiguration(http -> http.setHttpCompliance(HttpCompliance.RFC9110.without(
                "no bare line feeds",
                HttpCompliance.Violation.LF_HEADER_TERMINATION,
                HttpCompliance.Violation.LF_CHUNK_TERMINATION)));
        config.jetty.modifyHttpConfiguration(http -> http.setSendServerVersion(false));
        config.jetty.modifyServletContextHandler(
                context -> context.getServletHandler().setDecodeAmbiguousURIs(true));
    }

    private static QueuedThreadPool threads(String name, int most) {
        QueuedThreadPool threads = new QueuedThreadPool(most, Math.min(most, MIN_THREADS), IDLE_MILLIS);
        threads.setName(name);
        threads.setDaemon(true);
        return threads;
    }

    private static Connector connector(
            Server server, HttpConfiguration http, ApiAddress address, ConnectionLimits.Port port) {
        if (address.tls() == null) {
            return listening(server, null, address.host(), address.port(), port, new HttpConnectionFactory(http));
        }
        // The guard compares the Host with the node's names; the certificate may be for a proxy's name.
        SecureRequestCustomizer secure = new SecureRequestCustomizer(false);
        http.addCustomizer(secure);
        TlsReload tls = new TlsReload(address.tls(), server.getScheduler());
        server.addBean(tls);
        return listening(
                server,
                null,
                address.host(),
                address.port(),
                port,
                new SslConnectionFactory(tls.factory(), HttpVersion.HTTP_1_1.asString()),
                new HttpConnectionFactory(http));
    }

    /**
     * A port without TLS for health checks, which a load balancer may be unable to make over TLS. It has threads of its
     * own, so that no load on the API's port delays it.
     */
    private static Connector healthConnector(
            Server server, HttpConfiguration http, ApiAddress.HealthAddress address, ConnectionLimits.Port port) {
        ServerConnector connector = listening(
                server,
                threads("http-health", HEALTH_THREADS),
                address.host(),
                address.port(),
                port,
                new HttpConnectionFactory(plain(http)));
        connector.setName(RequestGuard.HEALTH_ONLY);
        return connector;
    }

    private static HttpConfiguration plain(HttpConfiguration http) {
        HttpConfiguration plain = new HttpConfiguration(http);
        plain.getCustomizers().removeIf(SecureRequestCustomizer.class::isInstance);
        return plain;
    }

    /** @param threads of this port alone; null for those of the server */
    private static ServerConnector listening(
            Server server,
            QueuedThreadPool threads,
            String host,
            int port,
            ConnectionLimits.Port connections,
            ConnectionFactory... protocols) {
        ServerConnector connector = new ServerConnector(server, threads, null, null, 1, 1, protocols);
        connector.setHost(host);
        connector.setPort(port);
        connector.setIdleTimeout(IDLE_MILLIS);
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        connector.addEventListener(connections);
        // Not an event listener for the connector, which passes only beans to its selector.
        connector.addBean(connections);
        // A stop does not wait for idle keep-alive connections.
        connector.setShutdownIdleTimeout(KEPT_ALIVE_ON_STOP_MILLIS);
        return connector;
    }

    private static void apply(
            Server server,
            Connections connections,
            ApiAddress address,
            Function<Request, Optional<EarlyRefusal>> access,
            RequestQuotas quotas) {
        long heap = Runtime.getRuntime().maxMemory();
        ResponseSender answers = new ResponseSender(ApiPaths.EXECUTION_STREAM, heap / ANSWERS_SHARE, connections);
        FairAdmission admission =
                new FairAdmission(quotas.limits().pendingOfClient(), answers::hasRoom, quotas.tooManyPending());
        admission.setMaxRequestCount(MAX_REQUESTS);
        admission.setMaxSuspendedRequestCount(MAX_WAITING_REQUESTS);
        admission.setMaxSuspend(MAX_WAIT);
        admission.excludePath("/health/*");
        // The other node sends these requests, and may have to decide within half a second whether this node is dead.
        admission.excludePath(EarlyAccessCheck.OF_PEERS);
        // Streams stay open for long, use no thread, and have a limit of their own.
        admission.excludePath(ApiPaths.EXECUTION_STREAM);
        BodyCollector bodies = new BodyCollector(
                access,
                request -> RequestBody.longest(
                        request.getMethod(), request.getHttpURI().getCanonicalPath()),
                new RequestMemory.Budgets(
                        new RequestMemory.ByteBudget(Math.max(heap / ORDINARY_SHARE, 32L * RequestBody.MAX_BYTES)),
                        new RequestMemory.ByteBudget(Math.max(heap / LARGE_SHARE, RequestBody.MAX_BATCH_BYTES)),
                        RequestBody.MAX_BYTES),
                connections);
        RequestGuard guard = new RequestGuard(address.hosts());
        bodies.setHandler(admission);
        guard.setHandler(bodies);
        answers.setHandler(guard);
        connections.setHandler(answers);
        server.setHandler(connections);
        server.setStopTimeout(STOP.toMillis());
    }

    /**
     * Writes problem bodies for requests that Jetty refuses before they reach the API, such as malformed or excess
     * requests.
     */
    private static final class JettyProblems extends ErrorHandler {
        /**
         * Problem types that the server itself never answers with. Each shares its status with the type that the server
         * means.
         */
        private static final Set<ProblemType> AMBIGUOUS =
                Set.of(ProblemType.DATABASE_UNAVAILABLE, ProblemType.TOKEN_UNCHECKED, ProblemType.QUOTA_EXCEEDED);

        private final Refusals refusals;

        JettyProblems(Refusals refusals) {
            this.refusals = refusals;
        }

        @Override
        public boolean errorPageForMethod(String method) {
            return true;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            int status = response.getStatus();
            Optional<Long> retryAfter = EarlyRefusal.retryAfterSeconds(request);
            Problem problem = Problem.of(
                    retryAfter.isPresent() ? ProblemType.TOKEN_UNCHECKED : typeOf(status),
                    EarlyRefusal.detail(request)
                            .orElseGet(() -> "the server refused the request with status " + status));
            if (status == 401 || status == 403) {
                refusals.add(attempt(request, problem));
            }
            byte[] body = StrictJson.bytes(problem.json(null).put("status", status));
            RequestGuard.protect(request, response.getHeaders());
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
            if (status == 503 || status == 429) {
                response.getHeaders().put(HttpHeader.RETRY_AFTER, String.valueOf(retryAfter.orElse(1L)));
            }
            if (status == 401) {
                response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, Problem.CHALLENGE);
            }
            if (status == 408) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
            response.write(true, ByteBuffer.wrap(body), callback);
            return true;
        }

        private static RefusedAttempt attempt(Request request, Problem problem) {
            return new RefusedAttempt(
                    new Actor(
                            EarlyRefusal.client(request).orElse("unknown client"),
                            Actor.Channel.HTTP,
                            Request.getRemoteAddr(request),
                            request.getMethod() + " " + request.getHttpURI().getCanonicalPath()),
                    problem.type() == ProblemType.UNAUTHORIZED ? RefusedAttempt.SIGN_IN : RefusedAttempt.REQUEST,
                    problem.detail());
        }

        private static ProblemType typeOf(int status) {
            return Arrays.stream(ProblemType.values())
                    .filter(type -> type.status() == status && !AMBIGUOUS.contains(type))
                    .findFirst()
                    .orElse(status < 500 ? ProblemType.INVALID_REQUEST : ProblemType.INTERNAL_ERROR);
        }
    }
}
