package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.FailedAttempts;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.api.access.ApiAccess;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.api.cluster.ClusterView.SwitchoverResult;
import io.twinbell.node.api.cluster.RoleMoveBody;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.port.ApiAddress;
import io.twinbell.node.api.port.PortTakenException;
import io.twinbell.node.json.Instants;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ClusterAndHealthTest {
    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    @Test
    void the_pair_is_shown_as_each_node_sees_itself() {
        assertEquals(
                "{\"master\":\"a\",\"epoch\":6,\"nodes\":[{\"id\":\"a\",\"role\":\"MASTER\",\"epoch\":6,"
                        + "\"latchHeld\":true,\"paused\":false,\"onHold\":false,\"heldBack\":null,"
                        + "\"http\":\"http://127.0.0.1:8081\",\"jmx\":\"127.0.0.1:9081\",\"zooKeeper\":\"CONNECTED\","
                        + "\"databaseReached\":true,\"heartbeatAgeMillis\":412,\"databaseLockHeld\":true,"
                        + "\"fastTakeover\":{\"armed\":true,\"reason\":null},"
                        + "\"workers\":{\"size\":16,\"active\":2,\"queued\":4},\"heapSize\":250,\"clockOffsetMillis\":3,\"incarnation\":\"1f0c\","
                        + "\"version\":\"0.1.0\",\"schema\":\"13\",\"knownSchema\":13,\"lagMillis\":12,\"notFiring\":null,"
                        + "\"slotsInDoubt\":3,\"standingPauses\":0,\"parkedRuns\":7,\"warnings\":[]},"
                        + "{\"id\":\"b\",\"error\":\"did not answer within a second\"}],"
                        + "\"pause\":null,\"standingPauses\":[],\"hold\":{\"since\":\"2026-03-29T01:00:00.000Z\",\"until\":null,"
                        + "\"reason\":\"kernel update\",\"by\":\"bob\"},"
                        + "\"failoverReady\":{\"ready\":false,\"reasons\":[\"b does not answer\"],\"notes\":[],"
                        + "\"estimatedGap\":{\"millis\":120.3,\"detectMillis\":21.0,\"latchMillis\":48.0,"
                        + "\"fenceMillis\":9.3,\"rebuildMillis\":12.0,\"firstFireMillis\":30.0,\"basis\":\"as ever\"}},"
                        + "\"history\":[{\"at\":\"2026-03-29T01:00:00.000Z\",\"node\":\"a\",\"epoch\":6,\"from\":\"STANDBY\","
                        + "\"to\":\"MASTER\",\"tookMillis\":85,\"reason\":\"latch won\","
                        + "\"split\":{\"detectMillis\":null,\"latchMillis\":null,\"fenceMillis\":1.2,"
                        + "\"rebuildMillis\":null,\"firstFireMillis\":null},"
                        + "\"steps\":[{\"step\":\"fence\",\"micros\":1200}],"
                        + "\"inDoubt\":{\"slots\":3,\"executions\":[\"4-1774746000000\"]}}]}",
                api.get("/api/v1/cluster").body().toString());
    }

    @Test
    void a_node_shows_itself_as_it_stands_in_the_pair() {
        assertEquals(
                api.get("/api/v1/cluster").body().at("/nodes/0"),
                api.get("/api/v1/cluster/self").body());
    }

    @Test
    void a_node_shows_each_setting_with_its_source() {
        assertEquals(
                "{\"node\":\"a\",\"items\":[{\"key\":\"http.port\",\"value\":\"8081\",\"source\":\"conf/a.yaml, line 3\"}]}",
                api.get("/api/v1/cluster/self/configuration").body().toString());
    }

    @Test
    void firing_is_held_and_released_with_a_reason() {
        assertStatus(200, api.post("/api/v1/cluster/pause", "{\"reason\":\"night\"}"));
        assertEquals("night", api.cluster.pause.reason());
        assertStatus(200, api.post("/api/v1/cluster/resume", ""));
        assertEquals(null, api.cluster.pause);
        assertStatus(400, api.post("/api/v1/cluster/pause", "{\"raeson\":\"x\"}"));
        api.post("/api/v1/cluster/pause", "{\"by\":\"bob\",\"until\":\"2100-01-01T00:00:00Z\"}");
        assertEquals("bob", api.cluster.pause.by());
        assertEquals(OptionalLong.of(Instants.millis("2100-01-01T00:00:00Z")), api.cluster.pause.untilMillis());
        Reply over = api.post("/api/v1/cluster/pause", "{\"until\":\"2020-01-01T00:00:00Z\"}");
        assertEquals("/until", over.firstError("pointer"));
        api.post("/api/v1/cluster/resume", "");
    }

    @Test
    void automatic_takeover_is_put_on_hold_and_released() {
        Reply held = api.post(
                "/api/v1/cluster/hold", "{\"reason\":\"disks\",\"by\":\"bob\",\"until\":\"2100-01-01T00:00:00Z\"}");
        assertStatus(200, held);
        assertEquals("disks", api.cluster.hold.reason());
        assertEquals("bob", api.cluster.hold.by());
        assertEquals(OptionalLong.of(Instants.millis("2100-01-01T00:00:00Z")), api.cluster.hold.untilMillis());
        Reply over = api.post("/api/v1/cluster/hold", "{\"until\":\"2020-01-01T00:00:00Z\"}");
        assertEquals("/until", over.firstError("pointer"));
        assertStatus(200, api.post("/api/v1/cluster/release", ""));
        assertEquals(null, api.cluster.hold);
    }

    @Test
    void a_move_by_hand_says_where_to_why_and_who_asks_and_only_a_failover_is_forced() {
        api.cluster.switchover = new SwitchoverResult.Done("a", "b", 7, 120);
        assertStatus(200, api.post("/api/v1/cluster/switchover", "{\"to\":\"b\"}"));
        assertEquals(new RoleMoveBody(null, null, "b", false), api.cluster.move);
        Reply forced = api.post("/api/v1/cluster/switchover", "{\"force\":true}");
        assertEquals("/force", forced.firstError("pointer"));
        assertStatus(
                200,
                api.post(
                        "/api/v1/cluster/failover",
                        "{\"to\":\"b\",\"by\":\"bob\",\"reason\":\"hung\",\"force\":true}"));
        assertEquals(new RoleMoveBody("hung", "bob", "b", true), api.cluster.move);
    }

    @Test
    void a_switchover_tells_who_took_over_or_why_nobody_did() {
        api.cluster.switchover = new SwitchoverResult.Done("a", "b", 7, 120);
        Reply done = api.post("/api/v1/cluster/switchover", "");
        assertEquals(
                "{\"from\":\"a\",\"to\":\"b\",\"epoch\":7,\"tookMillis\":120}",
                done.body().toString());
        api.cluster.switchover = new SwitchoverResult.Refused("there is no standby");
        Reply refused = api.post("/api/v1/cluster/switchover", "{\"reason\":\"drill\"}");
        assertStatus(409, refused);
        assertEquals("there is no standby", refused.text("/detail"));
        api.cluster.switchover = new SwitchoverResult.TimedOut("b has not fired yet");
        assertStatus(504, api.post("/api/v1/cluster/switchover", ""));
    }

    @Test
    void health_tells_by_its_status() {
        api.cluster.master = new Readiness(false, "STANDBY", List.of("the role is STANDBY"));
        api.cluster.readiness = new Readiness(true, "STANDBY", List.of());
        assertAll(
                () -> assertEquals(200, api.get("/health/live").status()),
                () -> assertEquals(200, api.get("/health/ready").status()),
                () -> assertEquals(503, api.get("/health/master").status()));
        api.cluster.master = new Readiness(true, "MASTER", List.of());
        api.cluster.readiness = new Readiness(false, "STANDBY", List.of("ZooKeeper is not connected"));
        Reply ready = api.get("/health/ready");
        assertAll(
                () -> assertEquals(503, ready.status()),
                () -> assertEquals(
                        "{\"ready\":false,\"role\":\"STANDBY\",\"reasons\":[\"ZooKeeper is not connected\"]}",
                        ready.body().toString()),
                () -> assertEquals(200, api.get("/health/master").status()));
    }

    @Test
    void a_master_that_has_not_fired_for_long_is_no_200_and_says_why() {
        api.cluster.master = new Readiness(false, "MASTER", List.of("no heartbeat could be recorded for 23 s"));
        Reply master = api.get("/health/master");
        assertStatus(503, master);
        assertEquals(
                "{\"master\":true,\"firing\":false,\"reasons\":[\"no heartbeat could be recorded for 23 s\"]}",
                master.body().toString());
    }

    @Test
    void head_tells_the_same_as_get() {
        api.cluster.master = new Readiness(false, "STANDBY", List.of("the role is STANDBY"));
        var head = api.request("/health/master").method("HEAD", BodyPublishers.noBody());
        assertEquals(503, api.sendForStatus(head));
        api.cluster.master = new Readiness(true, "MASTER", List.of());
        assertEquals(200, api.sendForStatus(head));
    }

    @Test
    void a_method_that_is_not_served_is_answered_with_those_that_are() {
        String allowed = api.json("PUT", "/api/v1/tasks", "{}")
                .raw()
                .headers()
                .firstValue("Allow")
                .orElseThrow();
        assertTrue(allowed.contains("GET") && allowed.contains("POST") && allowed.contains("DELETE"), allowed);
    }

    @Test
    void metrics_are_prometheus_text() {
        Reply reply = api.get("/metrics");
        assertEquals(
                "text/plain; version=0.0.4; charset=utf-8",
                reply.raw().headers().firstValue("Content-Type").orElseThrow().toLowerCase(Locale.ROOT));
        assertTrue(reply.raw().body().contains("twinbell_up 1\n"));
    }

    @Test
    void the_description_has_exactly_the_paths_and_methods_that_are_served() {
        JsonNode description = api.get("/openapi.json").body();
        assertEquals("3.1.0", description.get("openapi").textValue());
        Set<String> described = new TreeSet<>();
        description
                .get("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .fieldNames()
                        .forEachRemaining(
                                method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        Set<String> served = new TreeSet<>();
        api.api.routes().forEach(route -> served.add(route.method().name() + " " + route.path()));
        assertEquals(served, described);
    }

    @Test
    void every_reference_of_the_description_leads_somewhere_and_every_operation_has_a_name() {
        JsonNode description = OpenApiRoutes.document();
        description
                .findValues("$ref")
                .forEach(reference -> assertTrue(
                        !description.at(reference.textValue().substring(1)).isMissingNode(), reference.textValue()));
        List<String> names = description.findValuesAsText("operationId");
        assertEquals(names.size(), Set.copyOf(names).size());
    }

    /** Generators of clients write a default into every object, so a patch would reset what it does not name. */
    @Test
    void the_description_has_nothing_that_generated_clients_stumble_over() {
        JsonNode schemas = OpenApiRoutes.document().at("/components/schemas");

        assertTrue(
                schemas.findParents("default").stream()
                        .allMatch(member -> member.path("default").isArray()),
                "no defaults but of whole lists");
        assertTrue(schemas.findParents("enum").stream().allMatch(member -> member.has("type")), "no untyped enum");
        assertEquals(List.of(), schemas.findValues("const"));
        schemas.findValues("oneOf")
                .forEach(choice -> choice.forEach(alternative ->
                        assertTrue(!alternative.path("type").asText().equals("array"), choice::toString)));
    }

    @Test
    void health_answers_while_more_requests_than_there_are_threads_wait_for_the_database() throws SQLException {
        List<CompletableFuture<Reply>> waiting;
        try (Connection blocker = api.database.getConnection()) {
            blocker.setAutoCommit(false);
            blocker.createStatement().execute("lock table twinbell.task in access exclusive mode");
            waiting = IntStream.range(0, 60)
                    .mapToObj(i -> api.getLater("/api/v1/tasks"))
                    .toList();
            assertStatus(200, api.get("/health/live"));
            blocker.rollback();
        }
        List<Integer> statuses =
                waiting.stream().map(reply -> reply.join().status()).distinct().toList();
        assertTrue(Set.of(200, 503).containsAll(statuses), statuses::toString);
    }

    @Test
    void without_a_database_everything_that_needs_it_is_503_and_health_still_answers() {
        api.forbidConnections();
        try {
            String task = ApiFixture.HTTP_TASK.formatted("x");
            assertAll(
                    () -> assertUnavailable(api.get("/api/v1/tasks")),
                    () -> assertUnavailable(api.get("/api/v1/executions")),
                    () -> assertEquals(
                            "the database does not answer; send the same request again",
                            api.get("/api/v1/tasks").text("/detail")),
                    () -> assertUnavailable(api.post("/api/v1/tasks", task)),
                    () -> assertEquals(
                            "the request may not have been stored; send the same request again",
                            api.post("/api/v1/tasks", task).text("/detail")),
                    () -> assertUnavailable(api.post("/api/v1/tasks/batch", "[" + task + "]")),
                    () -> assertUnavailable(api.delete("/api/v1/tasks?app=billing")),
                    () -> assertEquals(200, api.get("/health/live").status()));
        } finally {
            api.allowConnections();
        }
        assertEquals(0, api.tasks());
    }

    /** A node serves requests before it has created the schema. */
    @Test
    void a_database_without_the_schema_is_unavailable_and_not_an_internal_error() {
        api.execute("alter schema twinbell rename to moved");
        try {
            String task = ApiFixture.HTTP_TASK.formatted("x");
            assertAll(
                    () -> assertUnavailable(api.get("/api/v1/tasks")),
                    () -> assertUnavailable(api.get("/api/v1/executions")),
                    () -> assertUnavailable(api.post("/api/v1/tasks", task)),
                    () -> assertUnavailable(api.delete("/api/v1/tasks?app=billing")));
        } finally {
            api.execute("alter schema moved rename to twinbell");
        }
    }

    private static void assertUnavailable(Reply reply) {
        assertStatus(503, reply);
        assertEquals("1", reply.raw().headers().firstValue("Retry-After").orElseThrow());
        assertEquals("urn:twinbell:problem:database-unavailable", reply.text("/type"));
    }

    @Test
    void a_port_that_is_taken_is_named_with_its_key() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            HttpApi second = new HttpApi(
                    new ApiAddress("127.0.0.1", taken.getLocalPort()),
                    new ApiAccess(
                            AccessPolicy.OPEN,
                            null,
                            null,
                            new FailedAttempts(api.ticker),
                            api.refusals,
                            api.quotas,
                            true,
                            Optional.empty()),
                    new ApiStores(
                            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                            null, () -> 0, null),
                    null,
                    api.cluster,
                    api.ticker);
            String refusal =
                    assertThrows(PortTakenException.class, second::start).getMessage();
            assertTrue(refusal.contains("port " + taken.getLocalPort()), refusal);
            assertTrue(refusal.contains("http.port"), refusal);
        }
    }
}
