package io.twinbell.node.api.access;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.access.store.TokenStore;
import io.twinbell.node.access.token.ConsoleSessions;
import io.twinbell.node.access.token.TokenBook;
import io.twinbell.node.access.token.TokenText;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsoleSessionTest {
    private static final String SESSION = "/api/v1/session";
    private static final Principal READER = new Principal("reader", AccessRole.VIEWER, Set.of(), Set.of());

    private final AtomicReference<PrincipalResolver> resolver = new AtomicReference<>(credentials -> Optional.empty());

    @AutoClose
    private final ApiFixture api = new ApiFixture(new AccessPolicy(
            Optional.of(READER), List.of(credentials -> resolver.get().resolve(credentials)), ""));

    private final HttpClient client = HttpClient.newHttpClient();
    private long millis = System.currentTimeMillis();
    private final TokenBook book = new TokenBook(api.tokens, () -> millis, api.ticker);
    private String token;

    @BeforeEach
    void createToken() {
        token = TokenText.random();
        api.tokens.putAdmin(TokenStore.ADMIN_OF + "a", TokenText.hash(token));
        resolver.set(book);
    }

    private String begun() {
        Reply begun = api.authorized("Bearer " + token, "POST", SESSION, null);
        assertStatus(200, begun);
        assertTrue(
                begun.body().path("permissions").toString().contains("ADMIN"),
                begun.body().toString());
        String header = begun.raw().headers().firstValue("Set-Cookie").orElseThrow();
        assertTrue(header.endsWith("; Path=/; HttpOnly; SameSite=Strict"), header);
        return header.substring(0, header.indexOf(';'));
    }

    private HttpResponse<String> send(String method, String path, String cookie, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(api.url() + path))
                .header("Cookie", cookie)
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void a_session_may_do_what_its_token_may() throws Exception {
        String cookie = begun();
        assertTrue(send("GET", SESSION, cookie).body().contains("\"signedIn\":true"));
        assertEquals(200, send("GET", "/api/v1/tokens", cookie).statusCode());
        assertEquals(401, send("GET", "/api/v1/tokens", "other=1").statusCode());
    }

    @Test
    void a_session_writes_only_from_a_page_that_is_named() throws Exception {
        String cookie = begun();
        String path = "/api/v1/tokens/none";
        assertEquals(401, send("DELETE", path, cookie).statusCode());
        assertEquals(
                403, send("DELETE", path, cookie, "Sec-Fetch-Site", "same-site").statusCode());
        assertEquals(
                403,
                send("DELETE", path, cookie, "Origin", "http://127.0.0.1:1").statusCode());
        assertEquals(404, send("DELETE", path, cookie, "Origin", api.url()).statusCode());
    }

    @Test
    void a_changed_cookie_is_no_session() throws Exception {
        String cookie = begun();
        String[] parts = cookie.split("_");
        String later = cookie.replace("_" + parts[2] + "_", "_" + (Long.parseLong(parts[2]) + 1) + "_");
        assertFalse(later.equals(cookie));
        assertEquals(401, send("GET", "/api/v1/tokens", later).statusCode());
        assertTrue(send("GET", SESSION, later).body().contains("\"signedIn\":false"));
    }

    @Test
    void a_session_ends_with_its_token_and_with_its_time() {
        ConsoleSessions sessions = new ConsoleSessions(
                text -> Optional.of("ab".repeat(32)),
                (text, seal) -> true,
                book::ofHash,
                person -> Optional.empty(),
                () -> millis);
        String cookie = sessions.begin(token).orElseThrow();
        assertTrue(sessions.principal(cookie).isPresent());
        millis += ConsoleSessions.LIFE.toMillis();
        assertEquals(Optional.empty(), sessions.principal(cookie));
        millis -= ConsoleSessions.LIFE.toMillis();
        api.execute("delete from twinbell.access_token");
        api.ticker.pass(Duration.ofSeconds(1));
        assertEquals(Optional.empty(), sessions.principal(cookie));
    }

    @Test
    void a_session_needs_a_valid_token() {
        assertStatus(401, api.authorized("Bearer tb_" + "x".repeat(43), "POST", SESSION, null));
        assertStatus(400, api.authorized(null, "POST", SESSION, null));
    }

    @Test
    void signing_out_removes_the_cookie() {
        Reply reply = api.authorized(null, "DELETE", SESSION, null);
        assertStatus(204, reply);
        assertTrue(reply.raw()
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow()
                .startsWith("twinbell_session=; Max-Age=0;"));
    }
}
