package io.twinbell.node.api.access;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.node.api.ApiFixture;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class EarlyAccessCheckTest {
    private static final Principal READER = new Principal("a reader", AccessRole.VIEWER, Set.of(), Set.of());
    private static final Principal KNOWN = new Principal("token known", AccessRole.EDITOR, Set.of(), Set.of());

    @AutoClose
    private final ApiFixture api = new ApiFixture(new AccessPolicy(
            Optional.of(READER),
            List.of(
                    EarlyAccessCheckTest::unchecked,
                    token -> token.equals("known") ? Optional.of(KNOWN) : Optional.empty()),
            ""));

    private static Optional<Principal> unchecked(String token) {
        if (token.equals("unknown")) {
            return Optional.empty();
        }
        throw new UncheckedCredentialsException("ask later", Duration.ofMillis(6001));
    }

    @Test
    void the_token_is_checked_before_parameters_and_body() {
        assertStatus(401, api.post("/api/v1/tasks?no=such", "not json"));
        assertStatus(401, api.delete("/api/v1/tasks"));
        assertStatus(400, api.authorized("Bearer known", "DELETE", "/api/v1/tasks?no=such", null));
    }

    @Test
    void a_client_without_a_token_is_refused_before_it_sends_its_body() throws IOException {
        String answer =
                answerToHead("POST /api/v1/tasks/batch HTTP/1.1", "Expect: 100-continue", "Content-Length: 50000000");
        assertTrue(answer.startsWith("HTTP/1.1 401"), answer);
        assertTrue(answer.contains("WWW-Authenticate: Bearer realm=\"twinbell\""), answer);
        assertTrue(answer.contains("may only read"), answer);
    }

    @Test
    void unknown_tokens_are_counted_and_delay_no_valid_one() {
        for (int i = 1; i <= 3; i++) {
            assertStatus(401, api.authorized("Bearer unknown", "GET", "/api/v1/tasks", null));
            assertEquals(i, api.attempts.total());
            assertStatus(200, api.authorized("Bearer known", "GET", "/api/v1/tasks", null));
        }
        assertEquals(3, api.attempts.total(), "valid and missing tokens are no failures");
    }

    @Test
    void credentials_that_cannot_be_checked_now_are_answered_with_503_and_are_no_failure() {
        for (String path : List.of("/api/v1/tasks", "/api/v1/tasks?no=such")) {
            ApiFixture.Reply answer = api.authorized("Bearer unchecked", "GET", path, null);
            assertStatus(503, answer);
            assertEquals("urn:twinbell:problem:token-unchecked", answer.text("/type"));
            assertEquals("ask later", answer.text("/detail"));
            assertEquals(Optional.of("7"), answer.raw().headers().firstValue("Retry-After"));
        }
        assertEquals(
                200,
                api.authorized("Bearer unchecked", "GET", "/api/v1/session", null)
                        .status(),
                "a page that anyone may read");
        assertEquals(0, api.attempts.total());
    }

    /** Sends the head of a request and no body. */
    private String answerToHead(String... lines) throws IOException {
        URI url = URI.create(api.url());
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            socket.setSoTimeout(10_000);
            String head = String.join("\r\n", lines) + "\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    + "Connection: close\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
