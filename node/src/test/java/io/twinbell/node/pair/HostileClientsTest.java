package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Processes that attack the API in every way at once: operators are answered, and the master fires. */
@Timeout(300)
@Tag("thorough")
class HostileClientsTest {
    private static final int REQUESTS = 200;
    /** A node whose last heartbeat is older is taken for dead. */
    private static final long HEARTBEAT_MILLIS = 4000;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tables = new TestTasks(database);
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Process> attackers = new ArrayList<>();
    private String url;
    private String token;

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        attackers.forEach(Process::destroyForcibly);
    }

    @Test
    void operators_are_answered_and_slots_fire_in_time_during_all_attacks_at_once() throws Exception {
        try (SchedulerNode node = new SchedulerNode(
                ConfigReader.read(null, Map.of(), config()), Map.of(), MBeanServerFactory.newMBeanServer())) {
            node.start();
            await().atMost(Duration.ofSeconds(60)).until(() -> node.role() == Role.MASTER);
            url = node.url();
            token = Files.readString(folder.resolve("admin-token")).strip();
            assertEquals(201, send("POST", "/api/v1/tasks", """
                    {"app": "h", "name": "grid", "schedule": {"every": "PT0.2S"}, "overlap": "ALLOW",
                     "handler": {"type": "java", "key": "twinbell.noop"}}""").statusCode());
            String viewer = new ObjectMapper()
                    .readTree(send("POST", "/api/v1/tokens", "{\"name\": \"flood\", \"role\": \"VIEWER\"}")
                            .body())
                    .path("token")
                    .asText();
            for (HostileClient.Attack attack : HostileClient.Attack.values()) {
                attackers.add(HostileClient.start(attack, URI.create(url).getPort(), viewer));
            }
            long epoch = epoch();
            for (int i = 0; i < REQUESTS; i++) {
                assertEquals(200, send("GET", "/api/v1/tasks", null).statusCode());
                assertEquals(200, send("GET", "/health/ready", null).statusCode());
                assertTrue(heartbeatAgeMillis() < HEARTBEAT_MILLIS, "the heartbeat is late");
            }
            assertTrue(attackers.stream().allMatch(Process::isAlive), "an attacker has ended");
            assertEquals(epoch, epoch(), "the role moved");
            assertEquals(Role.MASTER, node.role());
            assertEquals(
                    200,
                    send("POST", "/api/v1/cluster/pause", "{\"reason\": \"end\"}")
                            .statusCode());
            await().atMost(Duration.ofSeconds(30)).until(() -> unfinished() == 0);
        }
        assertEquals(
                List.of("SUCCEEDED"),
                tables.query("select distinct state from twinbell.execution"),
                "nothing was missed");
        assertEquals(
                0,
                tables.number("select count(*) from (select fire_time - lag(fire_time) over (order by fire_time) as gap"
                        + " from twinbell.execution) g where gap <> interval '200 ms'"),
                "no slot is missing");
    }

    private long unfinished() {
        return tables.number(
                "select count(*) from twinbell.execution where state in ('PENDING', 'CLAIMED', 'RUNNING', 'RETRYING')");
    }

    private long epoch() {
        return tables.number("select epoch from twinbell.epoch");
    }

    private long heartbeatAgeMillis() {
        return tables.number(
                "select (extract(epoch from clock_timestamp() - beat_at) * 1000)::bigint from twinbell.heartbeat");
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .timeout(Duration.ofSeconds(20))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private List<String> config() {
        return new ArrayList<>(Arrays.asList(
                "node.id=a",
                "http.port=0",
                "http.access=TOKENS",
                "http.adminToken=" + folder.resolve("admin-token"),
                "jmx.port=0",
                "database.url=" + database.getUrl(),
                "database.user=" + database.getUser(),
                "database.password=" + (database.getPassword() == null ? "" : database.getPassword()),
                "zookeeper.connect=" + zooKeeper));
    }
}
