package io.twinbell.node.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each door of the API leaves an entry with its author. */
class AuditRoutesTest {
    private static final String TASK = """
            {"schedule":{"every":"PT1H"},"priority":%d,"handler":{"type":"http","url":"http://127.0.0.1:9/x"}}""";

    private static final String CLOSE = "/api/v1/apps/shop/tasks/close";
    private ApiFixture api;

    @BeforeEach
    void start() {
        api = new ApiFixture(new AccessPolicy(Optional.empty(), List.of(AuditRoutesTest::principal), ""));
    }

    @AfterEach
    void stop() {
        api.close();
    }

    /** The credentials are a role, and the app that it is bound to. */
    private static Optional<Principal> principal(String credentials) {
        String[] parts = credentials.split("-", -1);
        return Optional.of(new Principal(
                credentials, AccessRole.valueOf(parts[0]), parts[1].isEmpty() ? Set.of() : Set.of(parts[1]), Set.of()));
    }

    private Reply send(String credentials, String method, String path, String body) {
        Reply reply = api.authorized("Bearer " + credentials, method, path, body);
        assertTrue(
                reply.status() < 300,
                () -> method + " " + path + ": " + reply.raw().body());
        return reply;
    }

    private List<String> entries(String credentials, String query) {
        List<String> lines = new ArrayList<>();
        for (JsonNode entry :
                send(credentials, "GET", "/api/v1/audit" + query, null).body().path("items")) {
            lines.add(
                    0,
                    entry.path("actor").asText() + " " + entry.path("act").asText() + " "
                            + entry.path("kind").asText() + " "
                            + entry.path("app").asText());
        }
        return lines;
    }

    @Test
    void each_door_leaves_an_entry_with_its_author() {
        send("EDITOR-shop", "PUT", CLOSE, TASK.formatted(1));
        send("EDITOR-", "PATCH", CLOSE, "{\"priority\":2}");
        send("OPERATOR-", "POST", CLOSE + "/pause", "{\"reason\":\"deploy\"}");
        send("OPERATOR-", "POST", CLOSE + "/resume", "{}");
        send("OPERATOR-shop", "POST", CLOSE + "/trigger", "{}");
        send("EDITOR-", "PUT", "/api/v1/limits/app:shop", "{\"maxRunning\":5}");
        send("OPERATOR-", "PUT", "/api/v1/pauses/app:shop", "{\"reason\":\"deploy\"}");
        send("EDITOR-", "PUT", "/api/v1/alerts/failures", """
                {"on":["FAILED"],"tasks":{"app":"shop"},"webhook":{"url":"http://127.0.0.1:9/x"}}""");
        send("EDITOR-shop", "DELETE", CLOSE, null);
        assertEquals(
                List.of(
                        "EDITOR-shop CREATE TASK shop",
                        "EDITOR- CHANGE TASK shop",
                        "OPERATOR- PAUSE TASK shop",
                        "OPERATOR- RESUME TASK shop",
                        "OPERATOR-shop TRIGGER EXECUTION shop",
                        "EDITOR- CREATE LIMIT shop",
                        "OPERATOR- PAUSE STANDING_PAUSE shop",
                        "EDITOR- CREATE ALERT shop",
                        "EDITOR-shop REMOVE TASK shop"),
                entries("ADMIN-", ""));
        JsonNode changed = send("VIEWER-shop", "GET", "/api/v1/audit?act=CHANGE", null)
                .body()
                .at("/items/0");
        assertEquals(1, changed.at("/before/priority").asInt());
        assertEquals(2, changed.at("/after/priority").asInt());
        assertEquals("127.0.0.1", changed.path("address").asText());
        assertEquals("HTTP", changed.path("channel").asText());
        assertEquals("PATCH " + CLOSE, changed.path("request").asText());
    }

    @Test
    void a_bound_principal_sees_its_apps_and_only_admins_see_tokens() {
        send("EDITOR-", "PUT", CLOSE, TASK.formatted(1));
        send("EDITOR-", "PUT", "/api/v1/apps/bank/tasks/close", TASK.formatted(1));
        send("ADMIN-", "POST", "/api/v1/tokens", "{\"name\":\"deploy\",\"role\":\"VIEWER\"}");
        assertEquals(List.of("EDITOR- CREATE TASK shop"), entries("VIEWER-shop", ""));
        assertEquals(List.of("EDITOR- CREATE TASK shop", "EDITOR- CREATE TASK bank"), entries("VIEWER-", ""));
        assertEquals(List.of("ADMIN- CREATE TOKEN null"), entries("ADMIN-", "?kind=TOKEN"));
    }

    @Test
    void pages_continue_where_the_last_one_ended() {
        for (int i = 0; i < 5; i++) {
            send("EDITOR-", "PUT", "/api/v1/limits/tag:" + i, "{\"maxRunning\":5}");
        }
        List<String> keys = new ArrayList<>();
        String next = "";
        while (next != null) {
            JsonNode page =
                    send("VIEWER-", "GET", "/api/v1/audit?limit=2" + next, null).body();
            page.path("items").forEach(entry -> keys.add(entry.path("object").asText()));
            next = page.path("next").isNull()
                    ? null
                    : "&after=" + page.path("next").asText();
        }
        assertEquals(List.of("tag:4", "tag:3", "tag:2", "tag:1", "tag:0"), keys);
        assertEquals(
                400,
                api.authorized("Bearer VIEWER-", "GET", "/api/v1/audit?after=x", null)
                        .status());
    }
}
