package io.twinbell.node.api.access;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A token that is bound to the app {@code shop} learns nothing of the alerts of other apps, and changes none. */
class AlertAccessTest {
    private static final String ALERTS = "/api/v1/alerts/";
    private static final String ALERT = """
            {"on":["FAILED"],"tasks":{"app":"%s"},"webhook":{"url":"http://127.0.0.1:9/x"}%s}""";

    private final ApiFixture api =
            new ApiFixture(new AccessPolicy(Optional.empty(), List.of(AlertAccessTest::principal), ""));

    @AfterEach
    void stop() {
        api.close();
    }

    private static Optional<Principal> principal(String credentials) {
        Set<String> apps = credentials.equals("all") ? Set.of() : Set.of(credentials);
        return Optional.of(new Principal(credentials, AccessRole.ADMIN, apps, Set.of()));
    }

    private Reply send(String credentials, String method, String path, String body) {
        return api.authorized("Bearer " + credentials, method, ALERTS + path, body);
    }

    private Reply put(String credentials, String name, String more) {
        return send(credentials, "PUT", name, ALERT.formatted(credentials, more));
    }

    /** The answer with the name left out. */
    private String answer(String method, String path, String name, String body) {
        Reply reply = send("shop", method, path.replace("NAME", name), body);
        return reply.status() + " " + String.valueOf(reply.body()).replace(name, "NAME");
    }

    @Test
    void an_alert_of_another_app_is_answered_like_an_unknown_one() {
        assertStatus(201, put("bank", "taken", ""));
        for (String request : List.of("GET NAME", "DELETE NAME", "POST NAME/test", "GET NAME/deliveries")) {
            String method = request.split(" ")[0];
            String path = request.split(" ")[1];
            String unknown = answer(method, path, "free", null);
            assertEquals("404", unknown.substring(0, 3), unknown);
            assertEquals(unknown, answer(method, path, "taken", null), request);
        }
        assertStatus(200, send("bank", "GET", "taken", null));
        api.refusals.step(api.loop);
        JsonNode refused = api.authorized("Bearer all", "GET", "/api/v1/audit?outcome=REFUSED", null)
                .body()
                .at("/items/0");
        assertEquals("GET /api/v1/alerts/taken", refused.path("request").asText(), "the audit shows what is hidden");
        assertEquals(4, refused.path("items").asInt());
    }

    @Test
    void a_dry_run_and_a_version_do_not_tell_that_another_app_uses_the_name() {
        assertStatus(201, put("bank", "taken", ""));
        String versioned = ALERT.formatted("shop", ",\"version\":1");
        String conflict = answer("PUT", "NAME", "free", versioned);
        assertEquals("409", conflict.substring(0, 3), conflict);
        assertEquals(conflict, answer("PUT", "NAME", "taken", versioned));
        String preview = answer("PUT", "NAME?dryRun=true", "free", ALERT.formatted("shop", ""));
        assertEquals("200", preview.substring(0, 3), preview);
        assertEquals(preview, answer("PUT", "NAME?dryRun=true", "taken", ALERT.formatted("shop", "")));
    }

    @Test
    void a_put_does_not_replace_an_alert_of_another_app() {
        assertStatus(201, put("bank", "taken", ""));
        assertStatus(403, put("shop", "taken", ""));
        assertEquals("bank", api.text("select app from twinbell.alert where name = 'taken'"));
        assertStatus(200, put("bank", "taken", ",\"every\":\"PT5M\""));
    }

    @Test
    void a_put_that_races_another_app_for_the_name_does_not_replace_its_alert() throws Exception {
        CompletableFuture<Reply> late;
        try (Connection first = api.database.getConnection();
                Statement statement = first.createStatement()) {
            first.setAutoCommit(false);
            statement.execute("lock table twinbell.alert in share row exclusive mode");
            statement.execute("insert into twinbell.alert (name, content, events, app)"
                    + " values ('taken', '{\"tasks\":{\"app\":\"bank\"}}', '{FAILED}', 'bank')");
            late = CompletableFuture.supplyAsync(() -> put("shop", "taken", ""));
            await().until(() -> api.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and query like 'lock table twinbell.alert%'")
                    == 1);
            first.commit();
        }
        assertStatus(403, late.get());
        assertEquals("bank", api.text("select app from twinbell.alert where name = 'taken'"));
    }

    @Test
    void a_delete_that_races_another_app_for_the_name_does_not_remove_its_alert() throws Exception {
        assertStatus(201, put("shop", "shared", ""));
        CompletableFuture<Reply> late;
        try (Connection first = api.database.getConnection();
                Statement statement = first.createStatement()) {
            first.setAutoCommit(false);
            statement.execute("lock table twinbell.alert in share row exclusive mode");
            statement.execute("update twinbell.alert set app = 'bank', content = '{\"tasks\":{\"app\":\"bank\"}}'");
            late = CompletableFuture.supplyAsync(() -> send("shop", "DELETE", "shared", null));
            await().until(() -> api.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and query like 'lock table twinbell.alert%'")
                    == 1);
            first.commit();
        }
        assertStatus(404, late.get());
        assertEquals(1, api.number("select count(*) from twinbell.alert"));
    }

    @Test
    void a_test_and_a_list_of_deliveries_that_race_another_app_for_the_name_reveal_and_send_nothing() throws Exception {
        for (String request : List.of("POST shared/test", "GET shared/deliveries")) {
            assertStatus(201, put("shop", "shared", ""));
            CompletableFuture<Reply> late;
            try (Connection first = api.database.getConnection();
                    Statement statement = first.createStatement()) {
                first.setAutoCommit(false);
                statement.execute("update twinbell.alert set app = 'bank', content = '{\"tasks\":{\"app\":\"bank\"}}'");
                late = CompletableFuture.supplyAsync(
                        () -> send("shop", request.split(" ")[0], request.split(" ")[1], null));
                await().until(() -> api.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                + " and query like '%for share'")
                        == 1);
                first.commit();
            }
            assertEquals(404, late.get().status(), request);
            assertEquals(0, api.number("select count(*) from twinbell.alert_delivery"));
            assertStatus(204, send("all", "DELETE", "shared", null));
        }
    }

    @Test
    void an_alert_that_gets_another_app_keeps_no_deliveries_of_the_first() {
        for (String first : List.of("bank", "all")) {
            String content = first.equals("all")
                    ? ALERT.replace("\"tasks\":{\"app\":\"%s\"},", "").formatted("")
                    : null;
            assertStatus(201, content == null ? put("bank", "moved", "") : send("all", "PUT", "moved", content));
            assertStatus(202, send("all", "POST", "moved/test", null));
            assertStatus(200, send("all", "PUT", "moved", ALERT.formatted("shop", "")));
            assertEquals(
                    0,
                    send("shop", "GET", "moved/deliveries", null)
                            .body()
                            .at("/items")
                            .size());
            assertStatus(202, send("shop", "POST", "moved/test", null));
            assertStatus(200, put("shop", "moved", ",\"every\":\"PT5M\""));
            assertEquals(
                    1,
                    send("shop", "GET", "moved/deliveries", null)
                            .body()
                            .at("/items")
                            .size(),
                    "its own stay");
            assertStatus(204, send("all", "DELETE", "moved", null));
        }
    }
}
