package io.twinbell.node.access.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.persistence.testing.HandTicker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.keys.HmacKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tokens of a provider that serves its keys over real HTTP. */
class OidcTokensTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final List<RoleMapping> ROLES = List.of(
            new RoleMapping("admins", AccessRole.ADMIN, Set.of(), Set.of()),
            new RoleMapping("shop", AccessRole.EDITOR, Set.of("shop"), Set.of(Grant.SQL)));

    private final RsaJsonWebKey key = SigningKeys.PROVIDER.named("first");
    private volatile JsonWebKeySet published = new JsonWebKeySet(key);
    private final HandTicker ticker = new HandTicker();
    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private String issuer;
    private OidcTokens tokens;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        issuer = "http://127.0.0.1:" + server.getAddress().getPort() + "/realm";
        answer(
                "/realm/.well-known/openid-configuration",
                () -> "{\"issuer\":\"" + issuer + "\",\"jwks_uri\":\"http://127.0.0.1:"
                        + server.getAddress().getPort() + "/keys\"}");
        answer("/keys", () -> published.toJson());
        server.start();
        tokens = tokens("roles");
    }

    @AfterEach
    void stop() {
        answers.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(String path, java.util.function.Supplier<String> text) {
        server.createContext(path, exchange -> {
            requests.incrementAndGet();
            byte[] body = text.get().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    private OidcTokens tokens(String rolesClaim) throws Exception {
        return tokens(rolesClaim, Duration.ZERO);
    }

    private OidcTokens tokens(String rolesClaim, Duration betweenRefreshes) throws Exception {
        return new OidcTokens(
                new OidcProvider(issuer, "twinbell", null, "email", rolesClaim, ROLES, null, null),
                betweenRefreshes,
                LONG,
                ticker);
    }

    private JwtClaims claims(Consumer<JwtClaims> change) {
        JwtClaims claims = new JwtClaims();
        claims.setIssuer(issuer);
        claims.setAudience("other", "twinbell");
        claims.setExpirationTimeMinutesInTheFuture(10);
        claims.setClaim("email", "ann@example.com");
        claims.setStringListClaim("roles", "staff", "shop");
        change.accept(claims);
        return claims;
    }

    private static String signed(JwtClaims claims, RsaJsonWebKey by) throws Exception {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.toJson());
        signature.setKey(by.getPrivateKey());
        signature.setKeyIdHeaderValue(by.getKeyId());
        signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.RSA_USING_SHA256);
        return signature.getCompactSerialization();
    }

    private void isRefused(Consumer<JwtClaims> change) throws Exception {
        isRefused(change, key);
    }

    private void isRefused(Consumer<JwtClaims> change, RsaJsonWebKey by) throws Exception {
        assertEquals(Optional.empty(), tokens.resolve(signed(claims(change), by)));
    }

    @Test
    void a_signed_token_has_the_role_apps_and_grants_of_its_first_mapped_role() throws Exception {
        assertEquals(
                Optional.of(
                        new Principal("user ann@example.com", AccessRole.EDITOR, Set.of("shop"), Set.of(Grant.SQL))),
                tokens.resolve(signed(claims(same -> {}), key)));
        Principal both = tokens.resolve(
                        signed(claims(claims -> claims.setStringListClaim("roles", "shop", "admins")), key))
                .orElseThrow();
        assertEquals(AccessRole.ADMIN, both.role());
        assertTrue(both.apps().isEmpty());
    }

    @Test
    void roles_may_lie_in_an_object_or_in_one_text() throws Exception {
        JwtClaims nested = claims(claims -> claims.setClaim("realm_access", Map.of("roles", List.of("shop"))));
        assertTrue(tokens("realm_access.roles").resolve(signed(nested, key)).isPresent());
        JwtClaims text = claims(claims -> claims.setClaim("scope", "openid admins"));
        assertTrue(tokens("scope").resolve(signed(text, key)).isPresent());
        assertTrue(tokens("email.roles").resolve(signed(text, key)).isEmpty());
    }

    @Test
    void a_token_that_is_not_for_this_node_or_is_over_is_refused() throws Exception {
        isRefused(claims -> claims.setIssuer("https://elsewhere.example"));
        isRefused(claims -> claims.setAudience("other"));
        isRefused(claims -> claims.setExpirationTime(
                NumericDate.fromSeconds(NumericDate.now().getValue() - 120)));
        isRefused(claims -> claims.unsetClaim("exp"));
        isRefused(claims -> claims.setNotBeforeMinutesInThePast(-10));
        isRefused(claims -> claims.unsetClaim("email"));
        isRefused(claims -> claims.setStringListClaim("roles", "staff"));
        isRefused(claims -> claims.unsetClaim("roles"));
    }

    @Test
    void a_signature_by_another_key_without_a_key_or_by_the_public_key_as_a_secret_is_refused() throws Exception {
        assertEquals(Optional.empty(), tokens.resolve(signed(claims(same -> {}), SigningKeys.STRANGER.named("first"))));
        String whole = signed(claims(same -> {}), key);
        assertEquals(Optional.empty(), tokens.resolve(whole.substring(0, whole.lastIndexOf('.') + 1)));
        JsonWebSignature none = new JsonWebSignature();
        none.setPayload(claims(same -> {}).toJson());
        none.setAlgorithmConstraints(org.jose4j.jwa.AlgorithmConstraints.NO_CONSTRAINTS);
        none.setAlgorithmHeaderValue(AlgorithmIdentifiers.NONE);
        assertEquals(Optional.empty(), tokens.resolve(none.getCompactSerialization()));
        JsonWebSignature secret = new JsonWebSignature();
        secret.setPayload(claims(same -> {}).toJson());
        secret.setKeyIdHeaderValue("first");
        secret.setAlgorithmHeaderValue(AlgorithmIdentifiers.HMAC_SHA256);
        secret.setKey(new HmacKey(key.getPublicKey().getEncoded()));
        assertEquals(Optional.empty(), tokens.resolve(secret.getCompactSerialization()));
    }

    @Test
    void a_new_key_of_the_provider_is_fetched_when_a_token_names_it() throws Exception {
        assertTrue(tokens.resolve(signed(claims(same -> {}), key)).isPresent());
        RsaJsonWebKey next = SigningKeys.STRANGER.named("next");
        published = new JsonWebKeySet(key, next);
        assertTrue(tokens.resolve(signed(claims(same -> {}), next)).isPresent());
    }

    @Test
    void keys_that_are_known_stay_valid_while_the_provider_does_not_answer() throws Exception {
        assertTrue(tokens.resolve(signed(claims(same -> {}), key)).isPresent());
        server.stop(0);
        assertTrue(tokens.resolve(signed(claims(same -> {}), key)).isPresent());
        isUnchecked(tokens, signed(claims(same -> {}), SigningKeys.STRANGER.named("next")));
    }

    /** Returns after how many seconds the client may try again. */
    private static long isUnchecked(OidcTokens tokens, String token) {
        UncheckedCredentialsException unchecked =
                assertThrows(UncheckedCredentialsException.class, () -> tokens.resolve(token));
        assertTrue(unchecked.getMessage().contains("cannot be read now"), unchecked.getMessage());
        return unchecked.retryAfterSeconds();
    }

    @Test
    void a_token_that_is_bad_in_itself_is_refused_while_the_keys_cannot_be_read() throws Exception {
        server.stop(0);
        RsaJsonWebKey next = SigningKeys.STRANGER.named("next");
        isRefused(claims -> claims.setIssuer("https://elsewhere.example"), next);
        isRefused(claims -> claims.setAudience("other"), next);
        isRefused(
                claims -> claims.setExpirationTime(
                        NumericDate.fromSeconds(NumericDate.now().getValue() - 120)),
                next);
        assertEquals(Optional.empty(), tokens.resolve("e30.e30.e30"));
        isUnchecked(tokens, signed(claims(same -> {}), next));
    }

    @Test
    void a_token_with_a_key_newer_than_the_latest_answer_is_neither_accepted_nor_refused() throws Exception {
        OidcTokens resting = tokens("roles", Duration.ofSeconds(10));
        assertTrue(resting.resolve(signed(claims(same -> {}), key)).isPresent());
        RsaJsonWebKey next = SigningKeys.STRANGER.named("next");
        published = new JsonWebKeySet(key, next);
        String token = signed(claims(same -> {}), next);
        ticker.pass(Duration.ofSeconds(4));
        assertEquals(6, isUnchecked(resting, token), "the provider is asked every ten seconds");
        ticker.pass(Duration.ofSeconds(6));
        assertTrue(resting.resolve(token).isPresent());
        String invented = signed(claims(same -> {}), SigningKeys.STRANGER.named("invented"));
        assertEquals(Optional.empty(), resting.resolve(invented));
        ticker.pass(Duration.ofSeconds(5));
        assertEquals(Optional.empty(), resting.resolve(invented), "it stays refused");
    }

    @Test
    void invented_tokens_do_not_flood_the_provider() throws Exception {
        OidcTokens resting = tokens("roles", Duration.ofSeconds(10));
        published = new JsonWebKeySet();
        for (int i = 0; i < 5; i++) {
            assertEquals(Optional.empty(), resting.resolve(signed(claims(same -> {}), key)));
        }
        ticker.pass(Duration.ofSeconds(1));
        isUnchecked(resting, signed(claims(same -> {}), SigningKeys.STRANGER.named("another")));
        assertEquals(2, requests.get(), "the discovery document and the keys");
        ticker.pass(Duration.ofSeconds(11));
        published = new JsonWebKeySet(key);
        assertTrue(resting.resolve(signed(claims(same -> {}), key)).isPresent());
    }

    @Test
    void a_provider_that_failed_is_asked_again_after_a_while() throws Exception {
        OidcTokens resting = tokens("roles", Duration.ofSeconds(10));
        server.removeContext("/keys");
        isUnchecked(resting, signed(claims(same -> {}), key));
        answer("/keys", () -> published.toJson());
        isUnchecked(resting, signed(claims(same -> {}), key));
        ticker.pass(Duration.ofSeconds(11));
        assertTrue(resting.resolve(signed(claims(same -> {}), key)).isPresent());
    }

    /** From now on, requests for the path are accepted and not answered. */
    private void hang(String path) {
        server.removeContext(path);
        server.createContext(path, exchange -> {
            asked.countDown();
            awaitAnswer();
            exchange.close();
        });
    }

    private void awaitAnswer() {
        try {
            answers.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts so many calls that only those wait that may, and waits until the others have ended. */
    private void fill(int most, Callable<Boolean> call) throws Exception {
        CompletionService<Boolean> calls = new ExecutorCompletionService<>(threads);
        int beyond = 3;
        for (int i = 0; i < most + beyond; i++) {
            calls.submit(call);
        }
        for (int i = 0; i < beyond; i++) {
            Future<Boolean> ended = calls.poll(60, TimeUnit.SECONDS);
            assertNotNull(ended, "only " + i + " of " + beyond + " calls ended while the provider was silent");
            assertFalse(ended.get());
        }
        asked.await();
        assertNull(calls.poll(), "the others wait for the provider");
    }

    @Test
    void a_silent_provider_delays_no_token_with_a_known_key_and_few_others() throws Exception {
        assertTrue(tokens.resolve(signed(claims(same -> {}), key)).isPresent());
        hang("/keys");
        String invented = signed(claims(same -> {}), SigningKeys.STRANGER.named("invented"));
        fill(ProviderKeys.MOST_WAITING, () -> isChecked(invented));
        assertTrue(tokens.resolve(signed(claims(same -> {}), key)).isPresent());
    }

    @Test
    void few_tokens_wait_for_a_provider_that_was_silent_from_the_start() throws Exception {
        hang("/realm/.well-known/openid-configuration");
        String token = signed(claims(same -> {}), key);
        fill(ProviderKeys.MOST_WAITING, () -> isChecked(token));
    }

    private boolean isChecked(String token) {
        try {
            tokens.resolve(token);
            return true;
        } catch (UncheckedCredentialsException e) {
            return false;
        }
    }

    @Test
    void few_sign_ins_wait_for_a_silent_provider() throws Exception {
        hang("/realm/.well-known/openid-configuration");
        fill(ProviderHttp.MOST_WAITING, () -> {
            try {
                return !tokens.endpoint("authorization_endpoint").isEmpty();
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Test
    void a_refused_token_writes_one_short_line_to_the_log() {
        String header = "{\"alg\":\"RS256\",\r\n\u2028\"kid\":\"" + "x".repeat(5000) + "\"}";
        String part = Base64.getUrlEncoder().encodeToString(header.getBytes(StandardCharsets.UTF_8));
        List<String> lines = logged(() -> assertEquals(Optional.empty(), tokens.resolve(part + ".e30.e30")));
        assertEquals(1, lines.size());
        assertTrue(lines.get(0).matches("\\p{Print}{1,400}"), lines.get(0));
    }

    @Test
    void tokens_that_cannot_be_checked_write_one_line_a_minute() throws Exception {
        server.stop(0);
        String token = signed(claims(same -> {}), key);
        List<String> lines = logged(() -> {
            for (int i = 0; i < 3; i++) {
                isUnchecked(tokens, token);
            }
            ticker.pass(Duration.ofMinutes(1));
            isUnchecked(tokens, token);
        });
        assertEquals(2, lines.size(), lines.toString());
    }

    private static List<String> logged(Runnable action) {
        Logger logger = (Logger) LoggerFactory.getLogger(OidcTokens.class);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        logger.addAppender(appender);
        try {
            action.run();
        } finally {
            logger.detachAppender(appender);
        }
        return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void other_credentials_are_left_to_other_resolvers() {
        assertEquals(Optional.empty(), tokens.resolve("tb_abc"));
        assertEquals(Optional.empty(), tokens.resolve("a.b.c"));
    }
}
