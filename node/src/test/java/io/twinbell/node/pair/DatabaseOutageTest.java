package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.pair.view.FiringSignal;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** What an operator gets from either node while the database server hangs. */
@Tag("thorough")
class DatabaseOutageTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    /** An operator's page may wait this long for an answer. */
    private static final Duration BOUND = Duration.ofSeconds(20);

    private static final List<String> PATHS =
            List.of("/api/v1/cluster", "/api/v1/cluster/self", "/health/ready", "/health/master", "/metrics");

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper mapper = new ObjectMapper();
    private final MBeanServer beans = MBeanServerFactory.newMBeanServer();
    private FreezableServer server;
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private SchedulerNode master;
    private SchedulerNode standby;

    @BeforeEach
    void start() throws Exception {
        server = new FreezableServer();
        master = node("a", beans);
        await().atMost(LONG).until(() -> master.role() == Role.MASTER);
        standby = node("b", MBeanServerFactory.newMBeanServer());
        await().atMost(LONG)
                .until(() -> json(master).at("/failoverReady/ready").asBoolean()
                        && json(standby).at("/failoverReady/ready").asBoolean());
    }

    @AfterEach
    void stop() throws Exception {
        server.thaw();
        standby.close();
        master.close();
        server.close();
    }

    private SchedulerNode node(String id, MBeanServer views) {
        PGSimpleDataSource database = server.database();
        SchedulerNode node = new SchedulerNode(
                ConfigReader.read(
                        null,
                        Map.of(),
                        List.of(
                                "node.id=" + id,
                                "http.port=0",
                                "http.adminToken=" + adminToken(),
                                "jmx.port=0",
                                "database.url=" + database.getUrl(),
                                "database.user=" + database.getUser(),
                                "database.password=" + (database.getPassword() == null ? "" : database.getPassword()),
                                "zookeeper.connect=" + zooKeeper)),
                Map.of(),
                views);
        node.start();
        return node;
    }

    /** Written by the first node that needs it. */
    private Path adminToken() {
        return folder.resolve("admin-token");
    }

    private CompletableFuture<HttpResponse<String>> ask(SchedulerNode node, String path) {
        return http.sendAsync(
                HttpRequest.newBuilder(URI.create(node.url() + path))
                        .timeout(BOUND)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode json(SchedulerNode node) throws Exception {
        HttpResponse<String> answer = ask(node, "/api/v1/cluster").join();
        assertEquals(200, answer.statusCode(), answer.body());
        return mapper.readTree(answer.body());
    }

    private void assertSaysSo(SchedulerNode node, String id) throws Exception {
        JsonNode pair = json(node);
        assertFalse(pair.at("/failoverReady/ready").asBoolean(), pair.toString());
        assertEquals(
                "node " + id + " does not reach the database",
                pair.at("/failoverReady/reasons/0").asText(),
                pair.toString());
        assertTrue(pair.path("history").isNull(), pair.toString());
        assertEquals("a", pair.path("master").asText(), pair.toString());
        assertEquals(2, pair.path("nodes").size(), pair.toString());
        pair.path("nodes")
                .forEach(each -> assertFalse(each.path("databaseReached").asBoolean(), each.toString()));
        assertTrue(pair.at("/nodes/0/notFiring").isTextual(), "the master fires nothing: " + pair);
        assertEquals("night", pair.at("/pause/reason").asText(), pair.toString());
        assertEquals("disks", pair.at("/hold/reason").asText(), pair.toString());
    }

    private void post(SchedulerNode node, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.url() + path))
                .header("Content-Type", "application/json")
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(adminToken()).strip())
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        assertEquals(
                200, http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
    }

    @Test
    void while_the_server_hangs_each_view_of_either_node_answers_in_time_and_truly() throws Exception {
        post(master, "/api/v1/cluster/pause", "{\"reason\":\"night\"}");
        post(master, "/api/v1/cluster/hold", "{\"reason\":\"disks\"}");
        await().atMost(LONG)
                .until(() -> ask(standby, "/api/v1/cluster/self").join().body().contains("\"paused\":true")
                        && ask(standby, "/api/v1/cluster/self").join().body().contains("\"onHold\":true"));
        server.freeze();
        // Before either node has noticed: the first ones wait for the database, the others for them.
        List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            for (String path : PATHS) {
                asked.add(ask(i % 2 == 0 ? master : standby, path));
            }
        }
        asked.forEach(CompletableFuture::join);
        await().atMost(LONG)
                .until(() -> !json(master).at("/nodes/0/databaseReached").asBoolean()
                        && !json(standby).at("/nodes/1/databaseReached").asBoolean());
        assertSaysSo(master, "a");
        assertSaysSo(standby, "b");
        await().atMost(LONG)
                .until(() -> ask(master, "/health/ready").join().statusCode() == 503
                        && ask(standby, "/health/ready").join().statusCode() == 503);
        String first = mapper.readTree(ask(master, "/health/ready").join().body())
                .at("/reasons/0")
                .asText();
        assertTrue(first.startsWith("node a is master and does not fire: "), first);
        ObjectName leadership = new ObjectName("io.twinbell:type=Leadership");
        assertEquals("a", beans.getAttribute(leadership, "MasterNode"));
        await().atMost(LONG)
                .until(() ->
                        (long) beans.getAttribute(leadership, "LastHeartbeatAgeMillis") > FiringSignal.LONG.toMillis());
        server.thaw();
        await().atMost(LONG)
                .until(() -> !json(master).path("history").isNull()
                        && !json(standby).path("history").isNull());
        post(master, "/api/v1/cluster/resume", "{}");
        post(master, "/api/v1/cluster/release", "{}");
        await().atMost(LONG)
                .until(() -> json(master).at("/failoverReady/ready").asBoolean()
                        && json(standby).at("/failoverReady/ready").asBoolean());
    }
}
