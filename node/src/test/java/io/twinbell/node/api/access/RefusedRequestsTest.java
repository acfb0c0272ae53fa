package io.twinbell.node.api.access;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each refused request has an entry in the audit, with the name if it is known. */
class RefusedRequestsTest {
    private static final String TASK =
            "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\"}%s}";

    private final ApiFixture api =
            new ApiFixture(new AccessPolicy(Optional.empty(), List.of(RefusedRequestsTest::principal, EXPIRED), ""));

    private static final PrincipalResolver EXPIRED = new PrincipalResolver() {
        @Override
        public Optional<Principal> resolve(String credentials) {
            return Optional.empty();
        }

        @Override
        public Optional<String> formerHolder(String credentials) {
            return credentials.equals("old") ? Optional.of("expired token deploy") : Optional.empty();
        }
    };

    @AfterEach
    void stop() {
        api.close();
    }

    /** The credentials are a role, and the app that it is bound to. */
    private static Optional<Principal> principal(String credentials) {
        String[] parts = credentials.split("-", -1);
        return parts.length < 2
                ? Optional.empty()
                : Optional.of(new Principal(
                        credentials,
                        AccessRole.valueOf(parts[0]),
                        parts[1].isEmpty() ? Set.of() : Set.of(parts[1]),
                        Set.of()));
    }

    private int status(String credentials, String method, String path, String body) {
        return api.authorized("Bearer " + credentials, method, path, body).status();
    }

    private List<String> entries(String credentials) {
        api.refusals.step(api.loop);
        List<String> lines = new ArrayList<>();
        JsonNode page = api.authorized("Bearer " + credentials, "GET", "/api/v1/audit?outcome=REFUSED", null)
                .body();
        for (JsonNode entry : page.path("items")) {
            lines.add(
                    0,
                    entry.path("actor").asText() + " " + entry.path("act").asText() + " "
                            + entry.path("request").asText() + " "
                            + entry.path("items").asText());
        }
        return lines;
    }

    private JsonNode newest() {
        api.refusals.step(api.loop);
        return api.authorized("Bearer ADMIN-", "GET", "/api/v1/audit?kind=ACCESS", null)
                .body()
                .at("/items/0");
    }

    @Test
    void requests_without_valid_credentials_have_an_entry_with_the_address() {
        assertStatus(401, api.get("/api/v1/tasks"));
        JsonNode entry = newest();
        assertEquals("unknown client", entry.path("actor").asText());
        assertEquals("127.0.0.1", entry.path("address").asText());
        assertEquals("GET /api/v1/tasks", entry.path("request").asText());
        assertEquals("this node needs a token", entry.path("detail").asText());
        assertEquals("REFUSED", entry.path("outcome").asText());
        for (int i = 0; i < 2; i++) {
            assertEquals(401, status("guessed", "GET", "/api/v1/tasks/1", null));
        }
        api.ticker.pass(Duration.ofMinutes(1));
        assertEquals(2, newest().path("items").asInt());
        assertEquals("GET /api/v1/tasks/1", newest().path("request").asText());
    }

    @Test
    void an_expired_token_is_named_to_the_audit_and_not_to_the_client() {
        Reply reply = api.authorized("Bearer old", "GET", "/api/v1/tasks", null);
        assertStatus(401, reply);
        assertEquals("the token is unknown, revoked or expired", reply.text("/detail"));
        assertEquals(List.of("expired token deploy SIGN_IN GET /api/v1/tasks 1"), entries("ADMIN-"));
    }

    @Test
    void a_sign_in_of_the_console_with_an_unknown_token_has_an_entry() {
        assertEquals(401, status("guessed", "POST", "/api/v1/session", null));
        assertEquals(List.of("unknown client SIGN_IN POST /api/v1/session 1"), entries("ADMIN-"));
    }

    @Test
    void requests_beyond_a_role_or_app_name_their_principal() {
        assertEquals(201, status("EDITOR-", "PUT", "/api/v1/apps/bank/tasks/t", TASK.formatted("")));
        assertEquals(403, status("VIEWER-", "DELETE", "/api/v1/apps/bank/tasks/t", null));
        assertEquals(403, status("EDITOR-shop", "DELETE", "/api/v1/apps/bank/tasks/t", null));
        assertEquals(404, status("OPERATOR-shop", "GET", "/api/v1/tasks/1", null));
        assertEquals(404, status("OPERATOR-shop", "GET", "/api/v1/tasks/99", null));
        assertEquals(
                List.of(
                        "VIEWER- REQUEST DELETE /api/v1/apps/bank/tasks/t 1",
                        "EDITOR-shop REQUEST DELETE /api/v1/apps/bank/tasks/t 1",
                        "OPERATOR-shop REQUEST GET /api/v1/tasks/1 1"),
                entries("ADMIN-"));
    }

    @Test
    void refused_items_of_a_batch_are_counted_in_one_entry() {
        String item = TASK.formatted(",\"app\":\"bank\",\"name\":\"t%s\"");
        assertEquals(
                200,
                status(
                        "EDITOR-shop",
                        "POST",
                        "/api/v1/tasks/batch",
                        "[" + item.formatted(1) + "," + item.formatted(2) + "]"));
        assertEquals(List.of("EDITOR-shop REQUEST POST /api/v1/tasks/batch 2"), entries("ADMIN-"));
    }

    @Test
    void a_request_of_a_foreign_page_has_an_entry() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(api.url() + "/api/v1/tasks"))
                .header("Origin", "http://foreign.example")
                .POST(BodyPublishers.ofString("{}"))
                .build();
        assertEquals(
                403,
                HttpClient.newHttpClient()
                        .send(request, BodyHandlers.ofString())
                        .statusCode());
        assertEquals(List.of("unknown client REQUEST POST /api/v1/tasks 1"), entries("ADMIN-"));
    }

    @Test
    void only_admins_see_refused_attempts() {
        assertStatus(401, api.get("/api/v1/tasks"));
        assertEquals(List.of(), entries("VIEWER-"));
        assertEquals(1, entries("ADMIN-").size());
    }
}
