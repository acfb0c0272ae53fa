package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.alert.Hooks;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Alerts of two whole nodes, on a real PostgreSQL and a real ZooKeeper, told to a real receiver. */
@Tag("thorough")
@Timeout(120)
class AlertPairTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tasks = new TestTasks(database);

    @AutoClose
    private final Hooks hooks = new Hooks();

    private final Deque<SchedulerNode> nodes = new ArrayDeque<>();

    @AfterEach
    void stop() throws Exception {
        while (!nodes.isEmpty()) {
            nodes.pop().close();
        }
    }

    @Test
    void an_alert_that_a_master_could_not_deliver_its_successor_does_and_tells_of_the_pair_too() throws Exception {
        hooks.always(Hooks.answered(503, ""));
        SchedulerNode a = start("a");
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b");
        await().until(() -> b.role() == Role.STANDBY);
        String alert = "{\"on\":[%s],\"every\":\"PT1S\",\"webhook\":{\"url\":\"" + hooks.url()
                + "/%s\",\"body\":\"${alert.summary}\"},\"retry\":{\"backoff\":\"PT1S\",\"multiplier\":1}}";
        assertEquals(201, put(b, "/api/v1/alerts/tasks", alert.formatted("\"FAILED\"", "tasks")));
        assertEquals(201, put(b, "/api/v1/alerts/pair", alert.formatted("\"ROLE_CHANGE\",\"NO_STANDBY\"", "pair")));
        assertEquals(
                201,
                put(
                        b,
                        "/api/v1/apps/billing/tasks/close-day",
                        "{\"schedule\":{\"in\":\"PT0S\"},\"handler\":{\"type\":\"java\",\"key\":\"k\"}}"));
        await().atMost(PATIENCE).until(() -> told("/tasks", "billing/close-day FAILED") >= 1);
        a.close();
        await().until(() -> b.role() == Role.MASTER);
        hooks.always(Hooks.answered(200, ""));
        await().atMost(PATIENCE)
                .until(() -> tasks.number("select count(*) from twinbell.alert_delivery"
                                + " where alert = 'tasks' and state = 'DELIVERED' and node = 'b'")
                        == 1);
        Hooks.Call first = hooks.calls.stream()
                .filter(call -> call.path().equals("/tasks"))
                .findFirst()
                .orElseThrow();
        assertTrue(
                hooks.calls.stream()
                        .filter(call -> call.path().equals("/tasks"))
                        .allMatch(call -> call.key().equals(first.key())),
                "one key for every attempt, whoever makes it");
        assertEquals("1", first.attempt());
        await().atMost(PATIENCE).until(() -> told("/pair", "node b is MASTER") >= 1);
        await().atMost(PATIENCE).until(() -> told("/pair", "no node could take over from b: there is no standby") >= 1);
        SchedulerNode again = start("a");
        await().until(() -> again.role() == Role.STANDBY);
        await().atMost(PATIENCE).until(() -> told("/pair", "a standby is available again") >= 1);
    }

    @Test
    void a_missing_ping_is_reported_once_over_a_failover_and_is_over_with_the_next_ping() throws Exception {
        hooks.always(Hooks.answered(200, ""));
        SchedulerNode a = start("a");
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b");
        await().until(() -> b.role() == Role.STANDBY);
        assertEquals(
                201,
                put(
                        b,
                        "/api/v1/apps/billing/tasks/close-day",
                        "{\"schedule\":{\"every\":\"PT1S\"},\"handler\":{\"type\":\"log\"}}"));
        assertEquals(
                201,
                put(
                        b,
                        "/api/v1/alerts/pings",
                        "{\"on\":[\"NO_PING\"],\"watch\":{\"noPingFor\":\"PT3S\"},\"every\":\"PT1S\",\"webhook\":{\"url\":\""
                                + hooks.url() + "/pings\",\"body\":\"${alert.summary}\"}}"));
        await().atMost(PATIENCE).until(() -> told("/pings", "billing/close-day") >= 1);
        // A call whose answer is not recorded yet is made again.
        await().until(() ->
                tasks.number("select count(*) from twinbell.alert_delivery where state = 'DELIVERED'") == 1);
        a.close();
        await().until(() -> b.role() == Role.MASTER);
        // When the successor has reported an alert that is newer, it has looked at the older one too.
        assertEquals(
                201,
                put(
                        b,
                        "/api/v1/alerts/later",
                        "{\"on\":[\"NO_PING\"],\"watch\":{\"noPingFor\":\"PT3S\"},\"every\":\"PT1S\",\"webhook\":{\"url\":\""
                                + hooks.url() + "/later\",\"body\":\"${alert.summary}\"}}"));
        await().atMost(PATIENCE).until(() -> told("/later", "billing/close-day") >= 1);
        assertEquals(1, told("/pings", "billing/close-day"), hooks.calls::toString);
        assertEquals(200, send(b, "POST", "/api/v1/apps/billing/tasks/close-day/ping", "{}"));
        await().atMost(PATIENCE).until(() -> told("/pings", "was pinged again") == 1);
    }

    private long told(String path, String text) {
        return hooks.calls.stream()
                .filter(call -> call.path().equals(path) && call.body().contains(text))
                .count();
    }

    private static int put(SchedulerNode node, String path, String json) throws Exception {
        return send(node, "PUT", path, json);
    }

    private static int send(SchedulerNode node, String method, String path, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.url() + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(json))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    private SchedulerNode start(String node) {
        TaskHandler failing = context -> {
            throw new IllegalStateException("no ink");
        };
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        Duration week = Duration.ofDays(7);
        NodeConfig config = new NodeConfig(
                database.getDatabaseName(),
                node,
                new NodeConfig.Listeners(any, any),
                new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                new NodeConfig.ZooKeeper(zooKeeper, Duration.ofSeconds(2)),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(week, week, week, week, week),
                HandlerConfig.DEFAULT);
        SchedulerNode started = new SchedulerNode(config, Map.of("k", failing), MBeanServerFactory.newMBeanServer());
        nodes.push(started);
        started.start();
        return started;
    }
}
