package io.twinbell.node.api.access;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.access.oidc.OidcProvider;
import io.twinbell.node.access.oidc.OidcTokens;
import io.twinbell.node.access.oidc.SigningKeys;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.persistence.testing.HandTicker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A person signs in at a provider that answers over real HTTP. */
class SignInTest {
    private static final String SIGN_IN = "/api/v1/session/sign-in";
    private static final String SESSION = "/api/v1/session";

    private final RsaJsonWebKey key = SigningKeys.PROVIDER.named("first");
    private final BlockingQueue<Map<String, String>> redeemed = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> credentials = new LinkedBlockingQueue<>();
    private final HttpClient browser = HttpClient.newHttpClient();
    private HttpServer server;
    private String issuer;
    private ApiFixture api;
    private volatile String nonce = "";
    private volatile int status = 200;
    private volatile boolean stalls;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Consumer<JwtClaims> change = claims -> {};

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        issuer = address + "/realm";
        server.createContext(
                "/realm/.well-known/openid-configuration",
                exchange -> answer(
                        exchange,
                        200,
                        "{\"issuer\":\"" + issuer + "\",\"jwks_uri\":\"" + address
                                + "/keys\",\"authorization_endpoint\":\"" + address
                                + "/login?kind=people\",\"token_endpoint\":\"" + address + "/token\"}"));
        server.createContext("/keys", exchange -> answer(exchange, 200, new JsonWebKeySet(key).toJson()));
        server.createContext("/token", this::token);
        server.setExecutor(threads);
        server.start();
        begin("s3cret");
    }

    private void begin(String secret) throws Exception {
        if (api != null) {
            api.close();
        }
        OidcProvider provider = new OidcProvider(
                issuer,
                "twinbell",
                null,
                "email",
                "roles",
                List.of(new RoleMapping("shop", AccessRole.EDITOR, Set.of("shop"), Set.of())),
                null,
                new OidcProvider.Client("console", secret, "openid profile", null));
        OidcTokens tokens = new OidcTokens(provider, new HandTicker());
        api = new ApiFixture(new AccessPolicy(Optional.empty(), List.of(tokens), ""), tokens);
    }

    @AfterEach
    void stop() {
        api.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private void token(HttpExchange exchange) throws IOException {
        String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        redeemed.add(parameters(form));
        credentials.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        if (stalls) {
            // The rest of the answer never comes.
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
            return;
        }
        answer(
                exchange,
                status,
                status == 200 ? "{\"id_token\":\"" + idToken() + "\"}" : "{\"error\":\"invalid_grant\"}");
    }

    private String idToken() {
        JwtClaims claims = new JwtClaims();
        claims.setIssuer(issuer);
        claims.setAudience("console");
        claims.setExpirationTimeMinutesInTheFuture(5);
        claims.setClaim("email", "ann@example.com");
        claims.setClaim("nonce", nonce);
        claims.setStringListClaim("roles", "staff", "shop");
        change.accept(claims);
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.toJson());
        signature.setKey(key.getPrivateKey());
        signature.setKeyIdHeaderValue("first");
        signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.RSA_USING_SHA256);
        try {
            return signature.getCompactSerialization();
        } catch (org.jose4j.lang.JoseException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static Map<String, String> parameters(String query) {
        return Arrays.stream(query.split("&"))
                .map(one -> one.split("=", 2))
                .collect(Collectors.toMap(one -> one[0], one -> URLDecoder.decode(one[1], StandardCharsets.UTF_8)));
    }

    private HttpResponse<String> get(String path, String cookie) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(api.url() + path));
        if (cookie != null) {
            request.header("Cookie", cookie);
        }
        if (path.startsWith(SIGN_IN + "/return")) {
            // As a browser that comes from the provider's page.
            request.header("Sec-Fetch-Site", "cross-site").header("Sec-Fetch-Mode", "navigate");
        }
        return browser.send(request.build(), BodyHandlers.ofString());
    }

    private static String location(HttpResponse<?> response) {
        assertEquals(302, response.statusCode());
        return response.headers().firstValue("Location").orElseThrow();
    }

    private static String cookie(HttpResponse<?> response, String name) {
        return response.headers().allValues("Set-Cookie").stream()
                .filter(each -> each.startsWith(name + "="))
                .findFirst()
                .orElseThrow()
                .split(";")[0];
    }

    /** Begins, and lets the provider know the nonce; returns the cookie of the attempt and its state. */
    private String[] attempt() throws Exception {
        HttpResponse<String> begun = get(SIGN_IN, null);
        Map<String, String> asked = parameters(URI.create(location(begun)).getRawQuery());
        nonce = asked.get("nonce");
        return new String[] {cookie(begun, "twinbell_sign_in"), asked.get("state")};
    }

    private String failure(HttpResponse<String> response) {
        String location = location(response);
        assertTrue(location.startsWith("/#/?signInFailed="), location);
        assertTrue(response.headers().allValues("Set-Cookie").stream()
                .noneMatch(each -> each.startsWith("twinbell_session")));
        return location.substring(location.indexOf('=') + 1);
    }

    @Test
    void the_browser_is_sent_to_the_provider_with_a_challenge_and_keeps_its_proof() throws Exception {
        HttpResponse<String> begun = get(SIGN_IN, null);
        URI page = URI.create(location(begun));
        assertEquals("/login", page.getPath());
        Map<String, String> asked = parameters(page.getRawQuery());
        assertEquals("people", asked.get("kind"));
        assertEquals("code", asked.get("response_type"));
        assertEquals("console", asked.get("client_id"));
        assertEquals("openid profile", asked.get("scope"));
        assertEquals(api.url() + SIGN_IN + "/return", asked.get("redirect_uri"));
        String[] kept = cookie(begun, "twinbell_sign_in")
                .substring("twinbell_sign_in=".length())
                .split("\\.");
        assertEquals(asked.get("state"), kept[0]);
        byte[] challenge = MessageDigest.getInstance("SHA-256").digest(kept[2].getBytes(StandardCharsets.US_ASCII));
        assertEquals(Base64.getUrlEncoder().withoutPadding().encodeToString(challenge), asked.get("code_challenge"));
        assertTrue(begun.headers().firstValue("Set-Cookie").orElseThrow().contains("HttpOnly; SameSite=Lax"));
        assertTrue(get(SESSION, null).body().contains("\"signInPage\":\"" + SIGN_IN + "\""));
    }

    @Test
    void a_person_whose_code_is_redeemed_gets_a_session_with_the_mapped_role() throws Exception {
        String[] attempt = attempt();
        HttpResponse<String> returned =
                get(SIGN_IN + "/return?code=c1&session_state=x&state=" + attempt[1], attempt[0]);
        assertEquals("/", location(returned));
        Map<String, String> form = redeemed.take();
        assertEquals("authorization_code", form.get("grant_type"));
        assertEquals("c1", form.get("code"));
        assertEquals(attempt[0].substring(attempt[0].lastIndexOf('.') + 1), form.get("code_verifier"));
        assertEquals(
                "Basic " + Base64.getEncoder().encodeToString("console:s3cret".getBytes(StandardCharsets.UTF_8)),
                credentials.take());
        String session = get(SESSION, cookie(returned, "twinbell_session")).body();
        assertTrue(session.contains("\"principal\":\"user ann@example.com\""), session);
        assertTrue(session.contains("\"role\":\"EDITOR\""), session);
        assertTrue(session.contains("\"apps\":[\"shop\"]"), session);
        assertEquals(
                200,
                get("/api/v1/tasks?app=shop", cookie(returned, "twinbell_session"))
                        .statusCode());
        assertEquals(
                403,
                get("/api/v1/tasks?app=bank", cookie(returned, "twinbell_session"))
                        .statusCode());
    }

    @Test
    void a_public_client_names_itself_in_the_form() throws Exception {
        begin(null);
        String[] attempt = attempt();
        assertEquals("/", location(get(SIGN_IN + "/return?code=c&state=" + attempt[1], attempt[0])));
        assertEquals("console", redeemed.take().get("client_id"));
        assertEquals("null", credentials.take());
    }

    @Test
    void an_answer_that_this_browser_did_not_ask_for_begins_no_session() throws Exception {
        String[] attempt = attempt();
        String other = "x".repeat(43);
        assertEquals("not-begun", failure(get(SIGN_IN + "/return?code=c&state=" + attempt[1], null)));
        assertEquals("not-begun", failure(get(SIGN_IN + "/return?code=c&state=" + other, attempt[0])));
        assertEquals("not-begun", failure(get(SIGN_IN + "/return?code=c", attempt[0])));
        assertTrue(redeemed.isEmpty());
    }

    @Test
    void a_refusal_of_the_provider_begins_no_session_and_is_audited() throws Exception {
        String[] attempt = attempt();
        String answer = "&state=" + attempt[1];
        assertEquals("refused", failure(get(SIGN_IN + "/return?error=access_denied" + answer, attempt[0])));
        assertEquals("refused", failure(get(SIGN_IN + "/return?code=c&iss=http%3A%2F%2Fevil" + answer, attempt[0])));
        assertTrue(redeemed.isEmpty());
        status = 400;
        assertEquals("not-permitted", failure(get(SIGN_IN + "/return?code=c" + answer, attempt[0])));
        assertEquals(3, api.refusals.total());
    }

    @Test
    void an_id_token_that_does_not_fit_begins_no_session() throws Exception {
        List<Consumer<JwtClaims>> faults = List.of(
                claims -> claims.setClaim("nonce", "another"),
                claims -> claims.unsetClaim("nonce"),
                claims -> claims.setAudience("twinbell"),
                claims -> claims.setIssuer("http://127.0.0.1/other"),
                claims -> claims.setExpirationTimeMinutesInTheFuture(-5),
                claims -> claims.setStringListClaim("roles", "staff"),
                claims -> claims.unsetClaim("email"));
        for (Consumer<JwtClaims> fault : faults) {
            String[] attempt = attempt();
            change = fault;
            assertEquals("not-permitted", failure(get(SIGN_IN + "/return?code=c&state=" + attempt[1], attempt[0])));
        }
        assertEquals(faults.size(), redeemed.size());
    }

    @Test
    void a_session_that_was_changed_is_none() throws Exception {
        String[] attempt = attempt();
        String session = cookie(get(SIGN_IN + "/return?code=c&state=" + attempt[1], attempt[0]), "twinbell_session");
        String forged = session.replaceFirst(
                "=[^.]+",
                "=" + Base64.getUrlEncoder().withoutPadding().encodeToString("root".getBytes(StandardCharsets.UTF_8)));
        assertFalse(forged.equals(session));
        assertEquals(401, get("/api/v1/tasks?app=shop", forged).statusCode());
    }

    @Test
    void answers_that_do_not_end_are_given_up_and_occupy_few_threads() throws Exception {
        stalls = true;
        String[] attempt = attempt();
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(CompletableFuture.supplyAsync(() -> failedReturn(attempt), threads));
        }
        await().until(() -> redeemed.size() == 4);
        assertEquals("no-answer", failedReturn(attempt));
        assertEquals(4, redeemed.size(), "the fifth reached the provider");
        for (CompletableFuture<String> each : waiting) {
            assertEquals("no-answer", each.get());
        }
    }

    private String failedReturn(String[] attempt) {
        try {
            return failure(get(SIGN_IN + "/return?code=c&state=" + attempt[1], attempt[0]));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_provider_that_does_not_answer_is_named_as_the_reason() throws Exception {
        String[] attempt = attempt();
        server.stop(0);
        assertEquals("no-answer", failure(get(SIGN_IN + "/return?code=c&state=" + attempt[1], attempt[0])));
    }
}
