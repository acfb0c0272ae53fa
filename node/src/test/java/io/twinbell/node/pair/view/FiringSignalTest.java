package io.twinbell.node.pair.view;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.pair.SchedulerNode;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** What both nodes say from outside while nothing can be claimed or recorded, and afterwards. */
@Tag("thorough")
class FiringSignalTest {
    private static final Duration LONG = FiringSignal.LONG.plusSeconds(60);

    @TempDir
    private Path folder;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final HttpClient http = HttpClient.newHttpClient();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private SchedulerNode master;
    private SchedulerNode standby;

    /** Written by the first node that needs it. */
    private Path adminToken() {
        return folder.resolve("admin-token");
    }

    @BeforeEach
    void start() throws Exception {
        master = node("a");
        await().atMost(LONG).until(() -> master.role() == Role.MASTER);
        standby = node("b");
        await().atMost(LONG).until(() -> standby.role() == Role.STANDBY);
        await().atMost(LONG).until(() -> ready(master) == 200 && ready(standby) == 200);
    }

    @AfterEach
    void stop() throws Exception {
        standby.close();
        master.close();
    }

    private SchedulerNode node(String id) {
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
                MBeanServerFactory.newMBeanServer());
        node.start();
        return node;
    }

    private HttpResponse<String> get(SchedulerNode node, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(node.url() + path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private int ready(SchedulerNode node) throws Exception {
        return get(node, "/health/ready").statusCode();
    }

    private JsonNode json(SchedulerNode node, String path) throws Exception {
        return new ObjectMapper().readTree(get(node, path).body());
    }

    private double metric(SchedulerNode node, String name) throws Exception {
        return get(node, "/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }

    private void addTask() throws Exception {
        HttpRequest add = HttpRequest.newBuilder(URI.create(master.url() + "/api/v1/tasks"))
                .header("Content-Type", "application/json")
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(adminToken()).strip())
                .POST(
                        HttpRequest.BodyPublishers.ofString(
                                "{\"app\":\"s\",\"name\":\"t\",\"schedule\":{\"every\":\"PT0.2S\"},\"handler\":{\"type\":\"log\",\"message\":\"x\"}}"))
                .build();
        assertEquals(201, http.send(add, HttpResponse.BodyHandlers.ofString()).statusCode());
    }

    /** Reads are answered and no write ends, as with a synchronous replica that is gone. */
    private Connection holdEveryWrite() throws SQLException {
        Connection holder = database.getConnection();
        holder.setAutoCommit(false);
        holder.createStatement()
                .execute("lock table twinbell.heartbeat, twinbell.execution, twinbell.task_state in share mode;"
                        + " select 1 from twinbell.epoch for update");
        return holder;
    }

    @Test
    void while_no_write_ends_both_nodes_say_that_nothing_fires_and_afterwards_that_all_is_well() throws Exception {
        addTask();
        try (Connection holder = holdEveryWrite()) {
            await().atMost(LONG)
                    .until(() -> ready(master) == 503
                            && ready(standby) == 503
                            && get(master, "/health/master").statusCode() == 503);
            String said = get(master, "/health/master").body();
            assertTrue(said.contains("\"master\":true,\"firing\":false"), said);
            assertTrue(said.contains("no heartbeat could be recorded for"), said);
            assertTrue(metric(master, "twinbell_scheduler_lag_seconds") > 5, "the master's lag");
            assertTrue(metric(master, "twinbell_heartbeat_age_seconds") > 10, "the master's heartbeat");
            assertTrue(metric(standby, "twinbell_heartbeat_age_seconds") > 10, "as the standby knows it");
            assertTrue(metric(standby, "twinbell_scheduler_lag_seconds") > 0, "the standby's lag");
            assertEquals(1.0, metric(master, "twinbell_firing_stalled"));
            assertEquals(1.0, metric(standby, "twinbell_firing_stalled"));
            assertEquals(0.0, metric(master, "twinbell_failover_ready"));
            JsonNode readiness = json(standby, "/api/v1/cluster").path("failoverReady");
            assertEquals(false, readiness.path("ready").asBoolean());
            assertTrue(readiness.path("reasons").toString().contains("does not fire"), readiness.toString());
            holder.rollback();
        }
        await().atMost(LONG)
                .until(() -> ready(master) == 200
                        && ready(standby) == 200
                        && get(master, "/health/master").statusCode() == 200
                        && metric(master, "twinbell_firing_stalled") == 0
                        && metric(standby, "twinbell_firing_stalled") == 0
                        && metric(master, "twinbell_scheduler_lag_seconds") < 5
                        && metric(standby, "twinbell_scheduler_lag_seconds") == 0);
        assertEquals(0.0, metric(master, "twinbell_heap_misses_total"));
    }
}
