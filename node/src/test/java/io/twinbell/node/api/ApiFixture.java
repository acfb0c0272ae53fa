package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.zaxxer.hikari.HikariDataSource;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.FailedAttempts;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.Refusals;
import io.twinbell.node.access.oidc.OidcSignIn.SignedIn;
import io.twinbell.node.access.oidc.OidcTokens;
import io.twinbell.node.access.store.TokenStore;
import io.twinbell.node.access.token.ConsoleSessions;
import io.twinbell.node.access.token.TokenBook;
import io.twinbell.node.access.token.TokenText;
import io.twinbell.node.alert.store.AlertStore;
import io.twinbell.node.alert.store.JdbcTaskPings;
import io.twinbell.node.api.access.ApiAccess;
import io.twinbell.node.api.access.RequestQuotas;
import io.twinbell.node.api.access.RequestQuotas.HttpLimits;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.HandlerPolicy;
import io.twinbell.node.api.port.ApiAddress;
import io.twinbell.node.api.stream.ChangeStream;
import io.twinbell.node.audit.store.AuditReader;
import io.twinbell.node.audit.store.AuditRefusals;
import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.calendar.store.LaggingTasks;
import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.execution.store.Callbacks;
import io.twinbell.node.execution.store.ExplanationSource;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.node.execution.store.LedgerChanges;
import io.twinbell.node.execution.store.UnfinishedExecutions;
import io.twinbell.node.execution.store.VerificationSource;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestDouble;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real API on a real port, on a database of its own. As an extension it is cleared before each test and closed after
 * all.
 */
public final class ApiFixture implements AutoCloseable, BeforeEachCallback, AfterAllCallback {
    public static final String HTTP_TASK = """
            {"app":"billing","name":"%s","schedule":{"every":"PT1H"},
             "handler":{"type":"http","url":"http://127.0.0.1:9/x"}}""";

    private static final ApiAddress ANY_PORT =
            new ApiAddress("127.0.0.1", 0, List.of("TB.example.org", "*.cluster.example", "203.0.113.9"));

    public final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final HikariDataSource pool = pool(database);
    public final TokenStore tokens = new TokenStore(pool);
    final StubCluster cluster = new StubCluster();
    final CalendarEdits calendars = new CalendarEdits(new CalendarStore(pool), new LaggingTasks(pool));

    final DefaultsEdits defaults =
            new DefaultsEdits(new TaskDefaultsStore(pool), new LaggingTasks(pool), calendars::fresh);
    /** The clock by which the server bounds its connections. */
    public final HandTicker serverTicker = new HandTicker();

    public final HandTicker ticker = new HandTicker();
    /** Stepped by the test. */
    public final Loop loop = new Loop("test", ticker);

    public final ChangeStream changes = new ChangeStream(new LedgerChanges(pool), ticker, () -> {});

    private final DedicatedConnection connection = new DedicatedConnection(TestSettings.of(database, "a"), "test", 5);
    /** Stepped by the test. */
    final StuckDetector stuck = new StuckDetector(new UnfinishedExecutions(connection), ticker, loop);

    public final FailedAttempts attempts = new FailedAttempts(ticker);
    /** Stepped by the test. */
    public final Refusals refusals = new Refusals(new AuditRefusals(pool)::enter, ticker);

    public final RequestQuotas quotas;

    private final TokenBook book = new TokenBook(tokens, this::nowMillis, ticker);
    /** Sessions of the console, with a fixed key. */
    public final ConsoleSessions sessions = new ConsoleSessions(
            text -> Optional.of(seal(text)),
            (text, seal) -> seal(text).equals(seal),
            book::ofHash,
            this::ofPerson,
            this::nowMillis);

    private final Optional<OidcTokens> provider;
    public final HttpApi api;
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;

    public ApiFixture() {
        this(AccessPolicy.OPEN);
    }

    /** A fixture whose console signs people in at a provider. */
    public ApiFixture(AccessPolicy access, OidcTokens provider) {
        this(access, ANY_PORT, HttpLimits.DEFAULT, Optional.of(provider));
    }

    private Optional<Principal> ofPerson(SignedIn person) {
        return provider.flatMap(tokens -> tokens.principal(person));
    }

    public ApiFixture(AccessPolicy access) {
        this(access, ANY_PORT);
    }

    public ApiFixture(AccessPolicy access, HttpLimits limits) {
        this(access, ANY_PORT, limits, Optional.empty());
    }

    ApiFixture(AccessPolicy access, ApiAddress address) {
        this(access, address, HttpLimits.DEFAULT, Optional.empty());
    }

    private ApiFixture(AccessPolicy access, ApiAddress address, HttpLimits limits, Optional<OidcTokens> provider) {
        this.provider = provider;
        quotas = RequestQuotas.of(limits, ticker);
        api = new HttpApi(
                address,
                new ApiAccess(
                        access,
                        sessions,
                        tokens,
                        attempts,
                        refusals,
                        quotas,
                        false,
                        provider.flatMap(OidcTokens::signIn)),
                new ApiStores(
                        new JdbcTaskStore(pool),
                        new JdbcExecutionQueries(pool),
                        new JdbcExecutionRequests(pool),
                        new Callbacks(pool),
                        new VerificationSource(pool),
                        new ExplanationSource(pool, PassedSlotFinder.MOVED),
                        stuck,
                        calendars,
                        defaults,
                        new LimitStore(pool),
                        new StandingPauses(pool),
                        new ActivityMinutes(pool),
                        new AlertStore(pool),
                        new JdbcTaskPings(pool),
                        new AuditReader(pool),
                        Duration.ofDays(30),
                        this::nowMillis,
                        HandlerPolicy.ALL_ON),
                changes,
                cluster,
                serverTicker);
        port = api.start();
    }

    private static String seal(String text) {
        return HexFormat.of().formatHex(TokenText.hash("key of the test " + text));
    }

    private static HikariDataSource pool(PGSimpleDataSource database) {
        HikariDataSource pool = new OneForEachThread();
        pool.setDataSource(database);
        pool.setMaximumPoolSize(8);
        pool.setMinimumIdle(1);
        pool.setConnectionTimeout(5000);
        return pool;
    }

    /**
     * A pool in which no thread may ask for a second connection: threads that each hold one and wait for another would
     * block each other until a timeout.
     */
    private static final class OneForEachThread extends HikariDataSource {
        private final ThreadLocal<Exception> held = new ThreadLocal<>();

        @Override
        public Connection getConnection() throws SQLException {
            if (held.get() != null) {
                throw new IllegalStateException("this thread holds a connection already", held.get());
            }
            Connection connection = super.getConnection();
            held.set(new Exception("it was taken here"));
            return TestDouble.of(Connection.class, (method, arguments) -> {
                if (method.getName().equals("close")) {
                    held.remove();
                }
                return method.invoke(connection, arguments);
            });
        }
    }

    /** Like the node's own clock, this one continues without the database. */
    private long nowMillis() {
        return System.currentTimeMillis();
    }

    public record Reply(int status, JsonNode body, HttpResponse<String> raw) {
        public String firstError(String member) {
            return body.path("errors").path(0).path(member).asText(null);
        }

        /** What the body has there as text, or null. */
        public String text(String pointer) {
            return body.at(pointer).asText(null);
        }

        public int number(String pointer) {
            return body.at(pointer).intValue();
        }
    }

    public static void assertStatus(int expected, Reply reply) {
        assertEquals(expected, reply.status(), () -> reply.raw().body());
    }

    public Reply get(String path) {
        return send(request(path).GET());
    }

    public Reply delete(String path) {
        return send(request(path).DELETE());
    }

    public Reply post(String path, String json) {
        return json("POST", path, json);
    }

    public Reply json(String method, String path, String json) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json)));
    }

    /** @param authorization the header, or null */
    public Reply authorized(String authorization, String method, String path, String json) {
        HttpRequest.Builder request = request(path);
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return send(
                json == null
                        ? request.method(method, HttpRequest.BodyPublishers.noBody())
                        : request.header("Content-Type", "application/json")
                                .method(method, HttpRequest.BodyPublishers.ofString(json)));
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url() + path));
    }

    int sendForStatus(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.discarding())
                .join()
                .statusCode();
    }

    CompletableFuture<Reply> getLater(String path) {
        return client.sendAsync(request(path).build(), BodyHandlers.ofString()).thenApply(ApiFixture::reply);
    }

    Reply send(HttpRequest.Builder request) {
        try {
            return reply(client.send(request.build(), BodyHandlers.ofString()));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Reply reply(HttpResponse<String> response) {
        String type = response.headers().firstValue("Content-Type").orElse("");
        JsonNode body = type.contains("json") && !response.body().isEmpty()
                ? StrictJson.read(response.body().getBytes(StandardCharsets.UTF_8))
                : null;
        return new Reply(response.statusCode(), body, response);
    }

    /** Creates an hourly task and returns its id. */
    public long task(String name) {
        return post("/api/v1/tasks", HTTP_TASK.formatted(name)).body().get("id").longValue();
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        clear();
    }

    @Override
    public void afterAll(ExtensionContext tests) {
        close();
    }

    /** Empties every table. */
    public void clear() {
        TestPostgres.clear(database);
    }

    public void execute(String sql) {
        TestPostgres.execute(database, sql);
    }

    public long number(String sql) {
        return Long.parseLong(text(sql));
    }

    /** The first column of the only row. */
    public String text(String sql) {
        return new TestTasks(database).query(sql).get(0);
    }

    public long tasks() {
        return number("select count(*) from twinbell.task");
    }

    /** As if the database were down: it accepts no session, and existing sessions end. */
    void forbidConnections() {
        allowConnections(false);
        TestPostgres.execute(
                server(),
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + database.getDatabaseName()
                        + "'");
    }

    void allowConnections() {
        allowConnections(true);
    }

    private void allowConnections(boolean allowed) {
        TestPostgres.execute(
                server(), "alter database " + database.getDatabaseName() + " allow_connections " + allowed);
    }

    private PGSimpleDataSource server() {
        PGSimpleDataSource server = new PGSimpleDataSource();
        server.setServerNames(database.getServerNames());
        server.setPortNumbers(database.getPortNumbers());
        server.setUser(database.getUser());
        server.setPassword(database.getPassword());
        server.setDatabaseName("postgres");
        return server;
    }

    @Override
    public void close() {
        api.stop();
        pool.close();
        connection.close();
    }
}
