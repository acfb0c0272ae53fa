package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.handler.config.CallProfile.Proxy;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.definition.StatusCodes;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import io.twinbell.node.tls.TlsMaterial;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls through a real proxy, and to a real receiver that demands a client certificate. */
@Timeout(60)
class CallProfilesTest {
    private static final Proxy NO_PROXY = null;
    private static final String LOGIN =
            "Basic " + Base64.getEncoder().encodeToString("node:pa:ss".getBytes(StandardCharsets.UTF_8));

    @TempDir
    private static Path issued;

    private static TlsInit authority;

    private final AtomicLong nowMillis = new AtomicLong(Instant.now().toEpochMilli());
    private HttpServer plain;
    private HttpsServer secured;
    private HttpCaller caller;

    @TempDir
    private Path directory;

    @BeforeAll
    static void issue() throws Exception {
        authority = new TlsInit(issued, 30);
        authority.issue(
                List.of(
                        new TlsInit.Request("server", List.of("localhost"), TlsInit.Use.NODE),
                        new TlsInit.Request("first", List.of(), TlsInit.Use.CLIENT),
                        new TlsInit.Request("second", List.of(), TlsInit.Use.CLIENT)),
                false);
    }

    @BeforeEach
    void start() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        plain = HttpServer.create(any, 10);
        plain.createContext("/", exchange -> answer(exchange, "plain " + exchange.getRequestHeaders()));
        plain.createContext("/away", exchange -> {
            exchange.getResponseHeaders()
                    .add("Location", exchange.getRequestURI().getQuery());
            exchange.sendResponseHeaders(307, -1);
            exchange.close();
        });
        plain.start();
        secured = HttpsServer.create(any, 10);
        TlsMaterial material = TlsMaterial.read(new TlsFiles(
                authority.certificate("server"),
                authority.key("server"),
                null,
                authority.certificate("ca"),
                null,
                TlsFiles.Clients.REQUIRED));
        secured.setHttpsConfigurator(new HttpsConfigurator(material.server()) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters demanding = getSSLContext().getDefaultSSLParameters();
                demanding.setNeedClientAuth(true);
                parameters.setSSLParameters(demanding);
            }
        });
        secured.createContext(
                "/",
                exchange -> answer(
                        exchange,
                        ((HttpsExchange) exchange)
                                .getSSLSession()
                                .getPeerPrincipal()
                                .getName()));
        secured.start();
    }

    @AfterEach
    void stop() {
        plain.stop(0);
        secured.stop(0);
        if (caller != null) {
            caller.close();
        }
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        // Each call makes a connection of its own.
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private String http(String host) {
        return "http://" + host + ":" + plain.getAddress().getPort();
    }

    private String https(String host) {
        return "https://" + host + ":" + secured.getAddress().getPort();
    }

    private static Proxy through(ForwardProxy proxy) {
        return new Proxy("127.0.0.1", proxy.port(), null, null);
    }

    private static TlsFiles presenting(String name) {
        return TlsFiles.forClient(authority.certificate("ca"), authority.certificate(name), authority.key(name));
    }

    private void profile(Proxy proxy, TlsFiles tls, String... hosts) {
        configure(List.of(), Map.of("p", new CallProfile(proxy, tls, HostList.of(hosts), Set.of())));
    }

    private void configure(List<String> allow, Map<String, CallProfile> profiles) {
        HandlerConfig.HttpHandler settings =
                new HandlerConfig.HttpHandler(HostList.of(allow.toArray(String[]::new)), Set.of(), List.of(), profiles);
        caller = new HttpCaller(settings, new Secrets(Map.of()), nowMillis::get);
    }

    private HandlerOutcome call(String url, String... successCodes) {
        return call("p", url, false, successCodes);
    }

    private HandlerOutcome call(String profile, String url, boolean follow, String... successCodes) {
        HandlerSpec.HttpCall spec = HttpCalls.spec("GET", url, Map.of(), null, rules(profile, follow, successCodes));
        return caller.start(HttpCalls.call(spec, null), spec).join();
    }

    private static HandlerSpec.HttpRules rules(String profile, boolean follow, String... successCodes) {
        return new HandlerSpec.HttpRules(
                successCodes.length == 0 ? StatusCodes.DEFAULT : new StatusCodes(List.of(successCodes)),
                Duration.ofSeconds(10),
                follow,
                null,
                HandlerSpec.HttpCompletion.RESPONSE,
                HandlerSpec.SignatureScheme.TWINBELL,
                null,
                profile);
    }

    private static void assertFails(HandlerOutcome outcome, String code, String error) {
        assertEquals(ExecutionState.FAILED, outcome.state(), outcome::toString);
        assertEquals(code, outcome.errorCode(), outcome::toString);
        assertTrue(outcome.error().contains(error), outcome::error);
    }

    @Test
    void a_client_certificate_and_an_own_authority_open_a_guarded_receiver() {
        profile(NO_PROXY, presenting("first"));
        assertEquals("HTTP 200\nCN=first", call(https("localhost")).output());
    }

    @Test
    void without_the_profile_the_same_receiver_is_not_trusted() {
        profile(NO_PROXY, presenting("first"));
        assertFails(call(null, https("localhost"), false), "TLS_FAILED", "unable to find valid certification path");
    }

    @Test
    void a_receiver_whose_certificate_is_for_another_host_is_refused() throws Exception {
        profile(NO_PROXY, presenting("first"));
        assertFails(call(https("127.0.0.1")), "TLS_FAILED", "127.0.0.1");
        try (ForwardProxy proxy = new ForwardProxy(null, 0)) {
            caller.close();
            profile(through(proxy), presenting("first"));
            assertFails(call(https("127.0.0.1")), "TLS_FAILED", "127.0.0.1");
        }
    }

    @Test
    void an_https_call_goes_through_a_tunnel_of_the_proxy() throws Exception {
        try (ForwardProxy proxy = new ForwardProxy(null, 0)) {
            profile(through(proxy), presenting("first"));
            assertEquals("HTTP 200\nCN=first", call(https("localhost")).output());
            assertEquals(
                    List.of("CONNECT localhost:" + secured.getAddress().getPort() + " HTTP/1.1"), proxy.requests());
        }
    }

    @Test
    void the_login_of_the_proxy_goes_with_the_first_request_and_not_to_the_receiver() throws Exception {
        try (ForwardProxy proxy = new ForwardProxy(LOGIN, 0)) {
            profile(new Proxy("127.0.0.1", proxy.port(), "node", "pa:ss"), presenting("first"));
            assertEquals("HTTP 200\nCN=first", call(https("localhost")).output());
            HandlerOutcome unencrypted = call(http("localhost") + "/x");
            assertTrue(unencrypted.output().startsWith("HTTP 200\nplain"), unencrypted::toString);
            assertFalse(unencrypted.output().contains("Proxy-"), unencrypted::output);
            assertEquals(
                    List.of(
                            "CONNECT localhost:" + secured.getAddress().getPort() + " HTTP/1.1 " + LOGIN,
                            "GET " + http("localhost") + "/x HTTP/1.1 " + LOGIN),
                    proxy.requests());
        }
    }

    @Test
    void a_refusal_of_the_proxy_is_no_answer_of_the_receiver() throws Exception {
        try (ForwardProxy proxy = new ForwardProxy(null, 403)) {
            profile(through(proxy), presenting("first"));
            assertFails(
                    call(https("localhost"), "4xx"),
                    "PROXY_REFUSED",
                    "the proxy 127.0.0.1:" + proxy.port() + " refused the call with 403");
        }
    }

    @Test
    void a_proxy_that_requires_a_login_fails_the_call_and_says_what_is_missing() throws Exception {
        try (ForwardProxy proxy = new ForwardProxy(LOGIN, 0)) {
            profile(through(proxy), presenting("first"));
            assertFails(call(https("localhost"), "4xx"), "PROXY_REFUSED", "requires a login: proxyUser");
            assertFails(call(http("localhost"), "4xx"), "PROXY_REFUSED", "profile are missing");
            caller.close();
            profile(new Proxy("127.0.0.1", proxy.port(), "node", "secret-guess"), presenting("first"));
            HandlerOutcome wrong = call(https("localhost"));
            assertFails(wrong, "PROXY_REFUSED", "profile are wrong");
            assertFalse(wrong.error().contains("guess"), wrong::error);
        }
    }

    @Test
    void a_proxy_that_is_away_fails_the_call_with_its_address() throws Exception {
        ForwardProxy proxy = new ForwardProxy(null, 0);
        proxy.close();
        profile(through(proxy), TlsFiles.NONE);
        assertFails(call(http("localhost")), "CONNECT_REFUSED", "127.0.0.1:" + proxy.port());
    }

    @Test
    void a_proxy_reaches_no_target_that_this_node_may_not_call() throws Exception {
        try (ForwardProxy proxy = new ForwardProxy(null, 0)) {
            profile(through(proxy), TlsFiles.NONE);
            assertFails(call("http://169.254.169.254/x"), "REFUSED", "metadata address");
            assertFails(call("http://127.0.0.1:25/"), "REFUSED", "port 25");
            assertFails(call("http://no-such-host.invalid/x"), "REFUSED", "must be named in handlers.http.allow");
            caller.close();
            configure(
                    List.of("10.0.0.0/8"),
                    Map.of("p", new CallProfile(through(proxy), TlsFiles.NONE, HostList.EMPTY, Set.of())));
            assertFails(call(http("localhost")), "REFUSED", "not in the list of allowed targets");
            assertEquals(List.of(), proxy.requests());
        }
    }

    @Test
    void a_host_that_only_the_proxy_knows_is_called_if_a_list_names_it() throws Exception {
        try (ForwardProxy proxy = new ForwardProxy(null, 0)) {
            profile(through(proxy), TlsFiles.NONE, "*.invalid");
            assertTrue(call(http("partner.invalid")).output().startsWith("HTTP 200\nplain"));
        }
    }

    @Test
    void a_profile_serves_its_hosts_and_apps_alone_also_after_a_redirect() {
        CallProfile here = new CallProfile(NO_PROXY, presenting("first"), HostList.of("127.0.0.1"), Set.of());
        CallProfile theirs = new CallProfile(NO_PROXY, presenting("first"), HostList.EMPTY, Set.of("other"));
        configure(List.of(), Map.of("here", here, "theirs", theirs));
        assertTrue(call("here", http("127.0.0.1"), false).output().startsWith("HTTP 200"));
        assertFails(
                call("here", http("localhost"), false),
                "REFUSED",
                "not called: the http profile here is not for calls to localhost; handlers.http.profiles.here.hosts");
        assertFails(
                call("here", http("127.0.0.1") + "/away?" + http("localhost"), true),
                "REFUSED",
                "redirects to localhost, but the http profile here is not for calls to localhost");
        assertFails(
                call("theirs", http("127.0.0.1"), false),
                "REFUSED",
                "theirs is not for the app \"app\"; handlers.http.profiles.theirs.apps");
    }

    @Test
    void an_alert_may_use_a_profile_that_is_for_every_app() {
        configure(
                List.of(),
                Map.of(
                        "p", new CallProfile(NO_PROXY, presenting("first"), HostList.EMPTY, Set.of()),
                        "ours", new CallProfile(NO_PROXY, presenting("first"), HostList.EMPTY, Set.of("app"))));
        assertEquals("HTTP 200\nCN=first", alert("p").output());
        assertFails(alert("ours"), "REFUSED", "is not for an alert, because an alert has no app");
    }

    private HandlerOutcome alert(String profile) {
        HandlerSpec.HttpCall webhook = HttpCalls.spec("GET", https("localhost"), Map.of(), null, rules(profile, false));
        Epoch epoch = new Epoch(42, new UUID(0, 1), "a", 0);
        return caller.start(new AlertCall(webhook, "n", "key", 1, epoch, StrictJson.readStored("{}")))
                .join();
    }

    @Test
    void an_unknown_profile_is_refused_when_stored_and_when_called_with_the_nearest_name() {
        configure(
                List.of(),
                Map.of("partner", new CallProfile(NO_PROXY, presenting("first"), HostList.EMPTY, Set.of("other"))));
        assertFails(
                call("partnr", http("localhost"), false),
                "REFUSED",
                "this node has no http profile \"partnr\"; did you mean \"partner\"?");
        assertEquals(
                List.of(new FieldError(
                        "/profile", "this node has no http profile \"partnr\"; did you mean \"partner\"?")),
                refusals("partnr"));
        assertEquals("/profile", refusals("partner").get(0).pointer());
        configure(List.of(), Map.of());
        assertEquals(
                "this node has no http profiles; add handlers.http.profiles.partnr to its configuration",
                refusals("partnr").get(0).detail());
    }

    private List<FieldError> refusals(String profile) {
        return caller.refusals(
                "app", StrictJson.readStored("{\"url\":\"http://localhost/\",\"profile\":\"" + profile + "\"}"));
    }

    @Test
    void a_replaced_certificate_is_presented_without_a_restart() throws Exception {
        Path certificate = directory.resolve("client.pem");
        Path key = directory.resolve("client-key.pem");
        copy("first", certificate, key);
        profile(NO_PROXY, TlsFiles.forClient(authority.certificate("ca"), certificate, key));
        assertEquals("HTTP 200\nCN=first", call(https("localhost")).output());
        copy("second", certificate, key);
        nowMillis.addAndGet(2000);
        assertEquals("HTTP 200\nCN=second", call(https("localhost")).output());
    }

    @Test
    void a_damaged_replacement_leaves_the_previous_certificate_in_use() throws Exception {
        Path certificate = directory.resolve("client.pem");
        Path key = directory.resolve("client-key.pem");
        copy("first", certificate, key);
        profile(NO_PROXY, TlsFiles.forClient(authority.certificate("ca"), certificate, key));
        Files.writeString(certificate, "half");
        for (int i = 0; i < 3; i++) {
            assertEquals("HTTP 200\nCN=first", call(https("localhost")).output());
            nowMillis.addAndGet(2000);
        }
    }

    private static void copy(String name, Path certificate, Path key) throws IOException {
        Files.copy(authority.certificate(name), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(authority.key(name), key, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void an_expired_certificate_is_not_presented() {
        profile(NO_PROXY, presenting("first"));
        nowMillis.addAndGet(Duration.ofDays(31).toMillis());
        assertFails(
                call(https("localhost")),
                "TLS_FAILED",
                "not called: the client certificate of the http profile p ended");
    }

    @Test
    void a_closed_caller_opens_no_connection_of_a_profile() {
        profile(NO_PROXY, presenting("first"));
        caller.close();
        assertThrows(IllegalStateException.class, () -> call(https("localhost")));
    }
}
