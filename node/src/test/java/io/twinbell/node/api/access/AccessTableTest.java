package io.twinbell.node.api.access;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every endpoint, with every role, on the principal's own app and on another app. */
class AccessTableTest {
    /** Who may send the request, and whether it concerns one APP, the whole PAIR or neither (FREE). */
    private static final Map<String, String> TABLE = Arrays.stream("""
            GET /api/v1/tasks | VIEWER APP
            POST /api/v1/tasks | EDITOR APP
            DELETE /api/v1/tasks | EDITOR APP
            POST /api/v1/tasks/pause | OPERATOR APP
            POST /api/v1/tasks/resume | OPERATOR APP
            POST /api/v1/tasks/trigger | OPERATOR APP
            POST /api/v1/tasks/batch | EDITOR APP
            GET /api/v1/tasks/{id} | VIEWER APP
            PATCH /api/v1/tasks/{id} | EDITOR APP
            DELETE /api/v1/tasks/{id} | EDITOR APP
            POST /api/v1/tasks/{id}/pause | OPERATOR APP
            POST /api/v1/tasks/{id}/resume | OPERATOR APP
            POST /api/v1/tasks/{id}/trigger | OPERATOR APP
            POST /api/v1/tasks/{id}/ping | OPERATOR APP
            POST /api/v1/tasks/{id}/backfill | OPERATOR APP
            DELETE /api/v1/tasks/{id}/backfill | OPERATOR APP
            GET /api/v1/tasks/{id}/executions | VIEWER APP
            GET /api/v1/tasks/{id}/statistics | VIEWER APP
            GET /api/v1/tasks/{id}/slots | VIEWER APP
            GET /api/v1/tasks/{id}/why | VIEWER APP
            GET /api/v1/apps/{app}/tasks/{name} | VIEWER APP
            PUT /api/v1/apps/{app}/tasks/{name} | EDITOR APP
            PATCH /api/v1/apps/{app}/tasks/{name} | EDITOR APP
            DELETE /api/v1/apps/{app}/tasks/{name} | EDITOR APP
            POST /api/v1/apps/{app}/tasks/{name}/pause | OPERATOR APP
            POST /api/v1/apps/{app}/tasks/{name}/resume | OPERATOR APP
            POST /api/v1/apps/{app}/tasks/{name}/trigger | OPERATOR APP
            POST /api/v1/apps/{app}/tasks/{name}/ping | OPERATOR APP
            POST /api/v1/apps/{app}/tasks/{name}/backfill | OPERATOR APP
            DELETE /api/v1/apps/{app}/tasks/{name}/backfill | OPERATOR APP
            GET /api/v1/apps/{app}/tasks/{name}/why | VIEWER APP
            GET /api/v1/executions | VIEWER APP
            GET /api/v1/executions/stream | VIEWER APP
            GET /api/v1/executions/stuck | VIEWER FREE
            GET /api/v1/executions/{id} | VIEWER APP
            POST /api/v1/executions/{id}/cancel | OPERATOR APP
            POST /api/v1/executions/{id}/rerun | OPERATOR APP
            POST /api/v1/executions/{id}/release | OPERATOR APP
            POST /api/v1/executions/{id}/complete | OPEN FREE
            POST /api/v1/executions/{id}/heartbeat | OPEN FREE
            POST /api/v1/executions/rerun | OPERATOR APP
            GET /api/v1/calendars | VIEWER FREE
            GET /api/v1/calendars/{name} | VIEWER FREE
            GET /api/v1/calendars/{name}/excluded | VIEWER FREE
            PUT /api/v1/calendars/{name} | EDITOR PAIR
            DELETE /api/v1/calendars/{name} | EDITOR PAIR
            GET /api/v1/limits | VIEWER FREE
            GET /api/v1/limits/{key} | VIEWER APP
            PUT /api/v1/limits/{key} | EDITOR APP
            DELETE /api/v1/limits/{key} | EDITOR APP
            GET /api/v1/defaults | VIEWER FREE
            GET /api/v1/defaults/{key} | VIEWER APP
            PUT /api/v1/defaults/{key} | EDITOR APP
            DELETE /api/v1/defaults/{key} | EDITOR APP
            GET /api/v1/pauses | VIEWER FREE
            GET /api/v1/pauses/{key} | VIEWER APP
            PUT /api/v1/pauses/{key} | OPERATOR APP
            DELETE /api/v1/pauses/{key} | OPERATOR APP
            GET /api/v1/alerts | VIEWER FREE
            GET /api/v1/alerts/{name} | VIEWER APP
            PUT /api/v1/alerts/{name} | EDITOR APP
            DELETE /api/v1/alerts/{name} | EDITOR APP
            POST /api/v1/alerts/{name}/test | EDITOR APP
            GET /api/v1/alerts/{name}/deliveries | VIEWER APP
            POST /api/v1/schedules/preview | VIEWER FREE
            GET /api/v1/schedules/upcoming | VIEWER APP
            GET /api/v1/forecast | VIEWER APP
            GET /api/v1/cluster | VIEWER FREE
            GET /api/v1/cluster/self | VIEWER FREE
            GET /api/v1/cluster/self/configuration | OPERATOR PAIR
            GET /api/v1/cluster/epochs | VIEWER FREE
            GET /api/v1/cluster/strays | VIEWER FREE
            GET /api/v1/cluster/activity | VIEWER PAIR
            POST /api/v1/cluster/switchover | OPERATOR PAIR
            POST /api/v1/cluster/failover | OPERATOR PAIR
            POST /api/v1/cluster/hold | OPERATOR PAIR
            POST /api/v1/cluster/release | OPERATOR PAIR
            POST /api/v1/cluster/pause | OPERATOR PAIR
            POST /api/v1/cluster/resume | OPERATOR PAIR
            GET /api/v1/audit | VIEWER APP
            GET /api/v1/audit/seals | VIEWER PAIR
            GET /api/v1/tokens | ADMIN PAIR
            POST /api/v1/tokens | ADMIN PAIR
            DELETE /api/v1/tokens/{name} | ADMIN PAIR
            POST /api/v1/tokens/{name}/rotate | ADMIN PAIR
            GET /metrics | VIEWER FREE
            GET /health/live | OPEN FREE
            GET /health/ready | OPEN FREE
            GET /health/master | OPEN FREE
            GET /openapi.json | OPEN FREE
            GET /api/v1/session/sign-in | OPEN FREE
            GET /api/v1/session/sign-in/return | OPEN FREE
            GET /api/v1/session | OPEN FREE
            POST /api/v1/session | VIEWER FREE
            DELETE /api/v1/session | OPEN FREE
            GET / | OPEN FREE
            GET /console/{file} | OPEN FREE
            """.lines().toArray(String[]::new))
            .collect(Collectors.toMap(row -> row.split(" \\| ")[0], row -> row.split(" \\| ")[1]));

    /** Objects of other apps do not exist for a bound principal. A PUT of an alert names the app in its body. */
    private static final Pattern HIDES = Pattern.compile("\\{id}|^(GET|POST|DELETE) .*/alerts/\\{name}");

    private static final String OWN = "shop";
    private static final String OTHER = "bank";
    private static final String TASK = """
            {"app":"%s","name":"%s","schedule":{"every":"PT1H"},"handler":{"type":"http","url":"http://127.0.0.1:9/x"}}""";

    private static final String ALERT = """
            {"on":["FAILED"],"tasks":{"app":"%s"},"webhook":{"url":"http://127.0.0.1:9/x"}}""";

    private static ApiFixture api;
    private final List<String> wrong = new ArrayList<>();
    private int names;

    @BeforeEach
    void start() {
        if (api == null) {
            api = new ApiFixture(new AccessPolicy(Optional.empty(), List.of(AccessTableTest::principal), ""));
        }
    }

    @AfterAll
    static void stop() {
        api.close();
        api = null;
    }

    /** The credentials are the role, then the app that it is bound to, then the grants. */
    private static Optional<Principal> principal(String credentials) {
        String[] parts = credentials.split("-", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        return Optional.of(new Principal(
                credentials,
                AccessRole.valueOf(parts[0]),
                parts[1].isEmpty() ? Set.of() : Set.of(parts[1]),
                parts[2].isEmpty() ? Set.of() : Set.of(Grant.valueOf(parts[2]))));
    }

    @Test
    void every_endpoint_has_a_row() {
        Set<String> served = new TreeSet<>();
        Stream.concat(api.api.routes().stream(), api.api.consoleRoutes().stream())
                .forEach(route -> served.add(route.method().name() + " " + route.path()));
        assertEquals(served, new TreeSet<>(TABLE.keySet()));
    }

    @Test
    void each_role_may_do_what_the_table_says() {
        TABLE.forEach((endpoint, right) -> {
            // Requests in bulk change all tasks of an app.
            request("ADMIN--", "DELETE", "/api/v1/tasks?confirm=ALL", null);
            api.execute("delete from twinbell.alert");
            for (AccessRole role : AccessRole.values()) {
                for (String bound : new String[] {"", OWN}) {
                    for (String app : new String[] {OWN, OTHER}) {
                        check(endpoint, right, role, bound, app);
                    }
                }
            }
            check(endpoint, right, null, "", OWN);
        });
        assertEquals(List.of(), wrong);
    }

    private void check(String endpoint, String right, AccessRole role, String bound, String app) {
        String least = right.split(" ")[0];
        String kind = right.split(" ")[1];
        boolean isOpen = least.equals("OPEN");
        boolean isPermitted = isOpen
                || role != null
                        && role.compareTo(AccessRole.valueOf(least)) >= 0
                        && (bound.isEmpty() || kind.equals("FREE") || kind.equals("APP") && app.equals(bound));
        Reply reply = send(endpoint, role == null ? null : role + "-" + bound + "-", app);
        int status = status(endpoint, reply);
        boolean isRefused = status == 401
                || status == 403
                || status == 404 && HIDES.matcher(endpoint).find();
        if (isRefused == isPermitted || role == null && !isOpen && status != 401) {
            wrong.add(endpoint + " as " + role + " of \"" + bound + "\" on " + app + ": " + status);
        }
    }

    /** A batch answers for each item. */
    private static int status(String endpoint, Reply reply) {
        return endpoint.endsWith("/batch") && reply.status() == 200 ? reply.number("/items/0/status") : reply.status();
    }

    private Reply send(String endpoint, String credentials, String app) {
        String method = endpoint.substring(0, endpoint.indexOf(' '));
        String template = endpoint.substring(endpoint.indexOf(' ') + 1);
        String name = "t" + names++;
        String path = template.replace("{app}", app)
                .replace("{key}", "app:" + app)
                .replace("{name}", name)
                .replace("{file}", "main.js");
        if (template.contains("alerts/{")) {
            request("ADMIN--", "PUT", path.replaceFirst("/(test|deliveries)$", ""), ALERT.formatted(app));
        } else if (template.contains("tasks/{")) {
            JsonNode task = request("ADMIN--", "POST", "/api/v1/tasks", TASK.formatted(app, name))
                    .body();
            path = path.replace("{id}", task.path("id").asText());
        } else if (template.contains("executions/{id}")) {
            JsonNode task = request("ADMIN--", "POST", "/api/v1/tasks", TASK.formatted(app, name))
                    .body();
            JsonNode execution = request(
                            "ADMIN--",
                            "POST",
                            "/api/v1/tasks/" + task.path("id").asText() + "/trigger",
                            "{}")
                    .body();
            path = path.replace("{id}", execution.path("id").asText());
        }
        if (template.endsWith("/why")) {
            path += "?at=2026-03-01T12:00:00Z";
        }
        if (template.equals("/api/v1/tasks") && !method.equals("POST")
                || template.matches("/api/v1/(tasks/(pause|resume|trigger)|executions(/stream|/rerun)?|audit"
                        + "|schedules/upcoming|forecast)")) {
            path += "?app=" + app + (template.endsWith("/rerun") ? "&state=FAILED" : "");
        }
        return request(
                credentials, template.endsWith("/stream") ? "HEAD" : method, path, body(method, template, app, name));
    }

    private static String body(String method, String template, String app, String name) {
        if (method.equals("GET") || method.equals("DELETE")) {
            return null;
        }
        if (template.endsWith("/batch")) {
            return "[" + TASK.formatted(app, name) + "]";
        }
        if (template.endsWith("/alerts/{name}")) {
            return ALERT.formatted(app);
        }
        if (template.endsWith("/defaults/{key}")) {
            return "{\"priority\":5}";
        }
        if (template.endsWith("/limits/{key}")) {
            return "{\"maxRunning\":5}";
        }
        return method.equals("PUT") && template.contains("tasks") || template.equals("/api/v1/tasks")
                ? TASK.formatted(app, name)
                : "{}";
    }

    private static Reply request(String credentials, String method, String path, String body) {
        return api.authorized(credentials == null ? null : "Bearer " + credentials, method, path, body);
    }

    @Test
    void a_bound_principal_sees_only_its_own_apps() {
        request("ADMIN--", "POST", "/api/v1/tasks", TASK.formatted(OWN, "seen"));
        request("ADMIN--", "POST", "/api/v1/tasks", TASK.formatted(OTHER, "unseen"));
        JsonNode list =
                request("VIEWER-shop-", "GET", "/api/v1/tasks?limit=1000", null).body();
        Set<String> apps = new TreeSet<>(list.findValuesAsText("app"));
        assertEquals(Set.of(OWN), apps);
        assertStatus(200, request("VIEWER-shop-", "GET", "/api/v1/executions", null));
        assertStatus(400, request("EDITOR-shop-", "DELETE", "/api/v1/tasks?q=seen", null));
    }

    @Test
    void sql_shell_and_secrets_are_grants_of_their_own() {
        String sql = handler("{\"type\":\"sql\",\"statement\":\"select 1\"}");
        String shell = handler("{\"type\":\"shell\",\"command\":[\"true\"]}");
        String secret = handler(
                "{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\",\"headers\":{\"X-Key\":\"${secret.KEY}\"}}");
        String signed = handler("{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\",\"secret\":{\"ref\":\"KEY\"}}");
        String profiled = handler("{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\",\"profile\":\"partner\"}");
        for (String task : new String[] {sql, shell, secret, signed, profiled}) {
            assertEquals(403, put("EDITOR--", "granted", task), task);
            assertTrue(put("ADMIN--", "granted", task) / 100 == 2, task);
            assertEquals(403, patch("EDITOR--", "granted", "{\"priority\":3}"), task);
            assertEquals(403, trigger("EDITOR--", "{\"data\":{\"a\":1}}"), task);
            assertEquals(403, triggerAll("EDITOR--", "{\"data\":{\"a\":1}}"), task);
            assertEquals(201, trigger("EDITOR--", "{\"reason\":\"again\"}"), task);
            assertEquals(200, triggerAll("OPERATOR--", ""), task);
            assertEquals(201, trigger("ADMIN--", "{\"data\":{\"a\":1}}"), task);
        }
        assertTrue(put("EDITOR--SQL", "granted", sql) / 100 == 2);
        assertTrue(put("EDITOR--SHELL", "granted", shell) / 100 == 2);
        assertTrue(put("EDITOR--SECRETS", "granted", signed) / 100 == 2);
        assertTrue(put("EDITOR--SECRETS", "granted", profiled) / 100 == 2);
        assertEquals(403, put("EDITOR--SECRETS", "granted", sql));
    }

    @Test
    void a_chain_needs_the_grants_of_the_tasks_that_it_leads_to() {
        String sql = handler("{\"type\":\"sql\",\"statement\":\"select 1\"}");
        String signed = handler("{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\",\"secret\":{\"ref\":\"KEY\"}}");
        String leading = "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"},\"%s\":[\"%s\"]}";
        assertTrue(put("ADMIN--", "end", sql) / 100 == 2);
        assertTrue(put("ADMIN--", "granted", leading.formatted("then", "end")) / 100 == 2);
        for (String link : new String[] {"then", "thenOnFailure"}) {
            for (String follower : new String[] {"end", "granted"}) {
                String task = leading.formatted(link, follower);
                assertEquals(403, put("EDITOR--", "start", task), task);
                assertEquals(403, put("EDITOR--SHELL", "start", task), task);
                assertTrue(put("EDITOR--SQL", "start", task) / 100 == 2, task);
                assertEquals(403, patch("EDITOR--", "start", "{\"priority\":3}"), task);
                assertStatus(204, request("EDITOR--", "DELETE", "/api/v1/apps/shop/tasks/start", null));
            }
        }
        Reply refused =
                request("EDITOR--", "PUT", "/api/v1/apps/shop/tasks/start", leading.formatted("then", "granted"));
        assertEquals(
                "EDITOR-- may not lead a chain to the task shop/end: it needs the grant \"sql\"",
                refused.text("/detail"));
        assertEquals(403, trigger("EDITOR--", "{\"data\":{\"a\":1}}"), "the run's data reaches the end");
        assertEquals(201, trigger("EDITOR--", "{}"));
        assertEquals(201, trigger("EDITOR--SQL", "{\"data\":{\"a\":1}}"));
        assertTrue(put("ADMIN--", "end", signed) / 100 == 2);
        assertEquals(403, put("EDITOR--SQL", "start", leading.formatted("then", "granted")));
        assertTrue(put("EDITOR--SECRETS", "start", leading.formatted("then", "granted")) / 100 == 2);
        request("ADMIN--", "DELETE", "/api/v1/tasks?app=shop", null);
    }

    @Test
    void a_follower_that_was_refused_is_run_again_only_by_somebody_with_the_grant() {
        String leading = "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"},\"then\":[\"end\"]}";
        assertTrue(put("EDITOR--", "start", leading) / 100 == 2);
        assertTrue(put("ADMIN--", "end", handler("{\"type\":\"sql\",\"statement\":\"select 1\"}")) / 100 == 2);
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) select id,"
                + " '2026-11-01T00:00:00Z', app, name, 'CLAIMED' from twinbell.task where name = 'start'");
        api.execute("update twinbell.execution set state = 'SUCCEEDED', ended_at = now() where name = 'start'");
        String all = "/api/v1/executions/rerun?app=shop&name=end&state=SKIPPED";
        JsonNode skipped = ofEnd();
        assertEquals("SKIPPED", skipped.path("state").asText(), skipped.toString());

        Reply refused = request("EDITOR--", "POST", all, null);
        assertEquals(403, refused.status(), refused.toString());
        assertEquals("EDITOR-- may not run shop/end again: it needs the grant \"sql\"", refused.text("/detail"));
        String one = "/api/v1/executions/" + skipped.path("id").asText() + "/rerun";
        assertStatus(403, request("EDITOR--", "POST", one, null));
        assertEquals("SKIPPED", ofEnd().path("state").asText());

        assertStatus(200, request("EDITOR--SQL", "POST", all, null));
        assertEquals("PENDING", ofEnd().path("state").asText());
        api.execute("delete from twinbell.execution");
        request("ADMIN--", "DELETE", "/api/v1/tasks?app=shop", null);
    }

    private static JsonNode ofEnd() {
        return request("VIEWER--", "GET", "/api/v1/executions?app=shop&name=end", null)
                .body()
                .path("items")
                .path(0);
    }

    @Test
    void a_bound_editor_starts_no_task_of_another_app() {
        String following = """
                {"schedule":{"every":"PT1H"},"handler":{"type":"log"},"%s":[{"app":"bank","name":"x"}]}""";
        for (String link : new String[] {"then", "thenOnFailure"}) {
            assertEquals(403, put("EDITOR-shop-", "leading", following.formatted(link)));
            assertTrue(put("EDITOR--", "leading", following.formatted(link)) / 100 == 2);
            assertEquals(403, patch("EDITOR-shop-", "leading", "{\"priority\":3}"));
        }
    }

    @Test
    void a_refusal_says_how_to_authenticate() {
        Reply reply = request(null, "GET", "/api/v1/tasks", null);
        assertStatus(401, reply);
        assertEquals(
                "Bearer realm=\"twinbell\"",
                reply.raw().headers().firstValue("WWW-Authenticate").orElseThrow());
        assertEquals("urn:twinbell:problem:unauthorized", reply.text("/type"));
        assertStatus(401, api.authorized("Basic YTpi", "GET", "/api/v1/tasks", null));
        assertStatus(401, request("unknown", "GET", "/api/v1/tasks", null));
    }

    @Test
    void a_bound_principal_sees_the_limits_and_alerts_of_its_apps_only() {
        for (String app : new String[] {OWN, OTHER}) {
            request("ADMIN--", "PUT", "/api/v1/limits/app:" + app, "{\"maxRunning\":5}");
            request("ADMIN--", "PUT", "/api/v1/alerts/of-" + app, ALERT.formatted(app));
        }
        request("ADMIN--", "PUT", "/api/v1/limits/tag:mail", "{\"maxRunning\":5}");
        assertEquals(
                List.of("app:" + OWN),
                request("VIEWER-shop-", "GET", "/api/v1/limits", null).body().findValuesAsText("key"));
        JsonNode alerts = request("VIEWER-shop-", "GET", "/api/v1/alerts", null).body();
        assertEquals(Set.of(OWN), new TreeSet<>(alerts.findValuesAsText("app")));
        assertStatus(403, request("EDITOR-shop-", "PUT", "/api/v1/limits/tag:mail", "{\"maxRunning\":1}"));
        assertEquals(
                403,
                request("EDITOR-shop-", "PUT", "/api/v1/alerts/of-shop", ALERT.formatted(OTHER))
                        .status(),
                "an alert must not move to another app");
        assertEquals(
                403,
                request("EDITOR-shop-", "PUT", "/api/v1/alerts/all", """
                        {"on":["FAILED"],"webhook":{"url":"http://127.0.0.1:9/x"}}""").status(),
                "an alert without an app concerns all of them");
    }

    private int trigger(String credentials, String body) {
        return request(credentials, "POST", "/api/v1/apps/" + OWN + "/tasks/granted/trigger", body)
                .status();
    }

    private int triggerAll(String credentials, String body) {
        return request(credentials, "POST", "/api/v1/tasks/trigger?app=" + OWN + "&q=granted", body)
                .status();
    }

    private static String handler(String handler) {
        return "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":" + handler + "}";
    }

    private static int put(String credentials, String name, String task) {
        return request(credentials, "PUT", "/api/v1/apps/shop/tasks/" + name, task)
                .status();
    }

    private static int patch(String credentials, String name, String patch) {
        return request(credentials, "PATCH", "/api/v1/apps/shop/tasks/" + name, patch)
                .status();
    }
}
