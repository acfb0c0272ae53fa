package io.twinbell.node.api;

import io.javalin.Javalin;
import io.javalin.util.JavalinException;
import io.twinbell.node.api.access.AccessCheck;
import io.twinbell.node.api.access.ApiAccess;
import io.twinbell.node.api.access.EarlyAccessCheck;
import io.twinbell.node.api.access.SessionRoutes;
import io.twinbell.node.api.access.SignInRoutes;
import io.twinbell.node.api.access.TokenRoutes;
import io.twinbell.node.api.catalog.AlertRoutes;
import io.twinbell.node.api.catalog.CalendarRoutes;
import io.twinbell.node.api.catalog.DefaultsRoutes;
import io.twinbell.node.api.catalog.LimitRoutes;
import io.twinbell.node.api.catalog.StandingPauseRoutes;
import io.twinbell.node.api.cluster.AuditRoutes;
import io.twinbell.node.api.cluster.ClusterRoutes;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.cluster.HealthRoutes;
import io.twinbell.node.api.console.ConsoleRoutes;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Problems;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.Route.AccessGate;
import io.twinbell.node.api.execution.CallbackRoutes;
import io.twinbell.node.api.execution.ExecutionRequestRoutes;
import io.twinbell.node.api.execution.ExecutionRoutes;
import io.twinbell.node.api.execution.ExplanationRoutes;
import io.twinbell.node.api.execution.VerificationRoutes;
import io.twinbell.node.api.port.ApiAddress;
import io.twinbell.node.api.port.ApiServer;
import io.twinbell.node.api.port.PortTakenException;
import io.twinbell.node.api.server.RequestGuard;
import io.twinbell.node.api.server.TlsReload;
import io.twinbell.node.api.slot.StoredTaskSlots;
import io.twinbell.node.api.stream.ChangeStream;
import io.twinbell.node.api.stream.StreamRoutes;
import io.twinbell.node.api.task.FilteredTaskRoutes;
import io.twinbell.node.api.task.ForecastRoutes;
import io.twinbell.node.api.task.NamedTaskRoutes;
import io.twinbell.node.api.task.PreviewRoutes;
import io.twinbell.node.api.task.TaskBatchRoute;
import io.twinbell.node.api.task.TaskRoutes;
import io.twinbell.node.api.task.UpcomingRoutes;
import io.twinbell.persistence.clock.Ticker;
import java.net.BindException;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP API server of one node. Either node serves every request, because all state is in the database. */
public final class HttpApi implements ApiServer {
    private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

    private final ApiAddress address;
    private final Ticker ticker;
    private final ApiAccess access;
    private final AccessGate gate;
    private final ApiStores stores;
    private final ClusterView cluster;
    private final ChangeStream changes;
    private List<Route> routes;
    private List<Route> consoleRoutes;
    private Javalin server;

    public HttpApi(
            ApiAddress address,
            ApiAccess access,
            ApiStores stores,
            ChangeStream changes,
            ClusterView cluster,
            Ticker ticker) {
        this.address = address;
        this.ticker = ticker;
        this.changes = changes;
        this.access = access;
        gate = new AccessCheck(access, stores);
        this.stores = stores;
        this.cluster = cluster;
    }

    @Override
    public synchronized int start() {
        Javalin starting = Javalin.create(config -> {
            JettySettings.apply(config, address, new EarlyAccessCheck(access, routes()), access, ticker);
            Problems.register(config);
            routes().forEach(route -> route.register(config.routes, gate));
            consoleRoutes().forEach(route -> route.register(config.routes, gate));
        });
        try {
            starting.start();
        } catch (RuntimeException e) {
            starting.stop();
            throw isPortTaken(e) ? PortTakenException.of(address, e) : e;
        }
        server = starting;
        return server.port();
    }

    @Override
    public synchronized int healthPort() {
        for (Connector connector : server.jettyServer().server().getConnectors()) {
            if (RequestGuard.HEALTH_ONLY.equals(connector.getName())) {
                return ((ServerConnector) connector).getLocalPort();
            }
        }
        return 0;
    }

    /** Looks for new certificates at once, which the server otherwise does every two seconds. */
    synchronized void lookForCertificates() {
        server.jettyServer().server().getBean(TlsReload.class).step();
    }

    @Override
    public synchronized void stop() {
        Javalin stopping = server;
        server = null;
        if (stopping == null) {
            return;
        }
        changes.close();
        try {
            stopping.stop();
        } catch (JavalinException e) {
            LOG.warn("some requests did not finish before the API stopped", e);
        }
    }

    /** Made at the first use: a node without API needs none of them, and their classes take a while to load. */
    public synchronized List<Route> routes() {
        if (routes == null) {
            routes = Stream.of(
                            new TaskRoutes(stores, new StoredTaskSlots(stores, cluster)).routes(),
                            new NamedTaskRoutes(stores).routes(),
                            new FilteredTaskRoutes(stores, ticker).routes(),
                            new TaskBatchRoute(stores).routes(),
                            new StreamRoutes(changes).routes(),
                            new ExecutionRequestRoutes(stores).routes(),
                            new ExecutionRoutes(stores).routes(),
                            new VerificationRoutes(stores).routes(),
                            new ExplanationRoutes(stores, cluster).routes(),
                            new CallbackRoutes(stores.callbacks(), access.attempts()).routes(),
                            new CalendarRoutes(stores).routes(),
                            new LimitRoutes(stores.limits()).routes(),
                            new StandingPauseRoutes(stores.pauses(), stores.clock()).routes(),
                            new DefaultsRoutes(stores.defaults()).routes(),
                            new AlertRoutes(stores).routes(),
                            new PreviewRoutes(stores).routes(),
                            new UpcomingRoutes(stores, cluster).routes(),
                            new ForecastRoutes(stores, ticker).routes(),
                            new ClusterRoutes(cluster, stores.activity(), stores.clock()).routes(),
                            new AuditRoutes(stores.audit()).routes(),
                            new TokenRoutes(access.tokens()).routes(),
                            new SessionRoutes(access).routes(),
                            new SignInRoutes(access).routes(),
                            new HealthRoutes(cluster).routes(),
                            new OpenApiRoutes().routes())
                    .flatMap(List::stream)
                    .toList();
        }
        return routes;
    }

    /** The routes of the web console's files, which are no part of the API. */
    public synchronized List<Route> consoleRoutes() {
        if (consoleRoutes == null) {
            consoleRoutes = new ConsoleRoutes(cluster).routes();
        }
        return consoleRoutes;
    }

    private static boolean isPortTaken(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException
                    || cause.getClass().getSimpleName().contains("PortInUse")) {
                return true;
            }
        }
        return false;
    }
}
