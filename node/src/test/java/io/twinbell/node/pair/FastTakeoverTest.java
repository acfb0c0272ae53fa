package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.twinbell.ha.role.Role;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import io.twinbell.tools.client.NodeClient;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A whole node b beside a master a whose parts die one by one, on real servers. The sessions of ZooKeeper last longer than
 * any test, so a takeover cannot have waited for one to time out.
 */
@Timeout(90)
class FastTakeoverTest {
    private static final Duration SESSION = TestZooKeeper.LONGEST_SESSION;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tasks = new TestTasks(database);
    private final AtomicInteger calls = new AtomicInteger();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        opened.push(part);
        return part;
    }

    private DyingMaster masterA() throws Exception {
        return opened(new DyingMaster(database, zooKeeper, SESSION));
    }

    @Test
    void a_master_whose_process_is_gone_is_replaced_though_its_zookeeper_session_lives() throws Exception {
        DyingMaster a = masterA();
        SchedulerNode b = armedStandby("b");
        a.beats();
        JsonNode before = cluster(b).at("/failoverReady/estimatedGap");
        assertTrue(before.path("basis").asText().contains("never measured"), before.toString());
        assertTrue(before.path("millis").asDouble() > 0, before.toString());
        insertTask();
        a.dies();
        await().until(() -> b.role() == Role.MASTER && calls.get() > 0);
        await("the history is written a moment later")
                .until(() -> tasks.query(
                                "select reason from twinbell.role_history where node = 'b' and to_role = 'MASTER'")
                        .equals(List.of("a is dead")));
        await("it is entered when all is done")
                .until(() -> tasks.query("select node, verdict from twinbell.takeover")
                        .equals(List.of("b|DEAD")));
        await().until(() -> metric(b, "twinbell_database_lock_held 1.0"));
        await("it is on record in its turn")
                .until(() -> tasks.number("select count(*) from twinbell.whereabouts w"
                                + " join twinbell.epoch e on e.epoch = w.epoch and e.node = 'b'")
                        == 1);
        eachPartIsInTheHistoryAndTheNextGapIsEstimatedFromIt(b);
    }

    private void eachPartIsInTheHistoryAndTheNextGapIsEstimatedFromIt(SchedulerNode b) throws Exception {
        await("the first fire is entered behind the promotion")
                .until(() -> split(b).path("firstFireMillis").isNumber());
        JsonNode split = split(b);
        for (String part : List.of("detectMillis", "latchMillis", "fenceMillis", "rebuildMillis", "firstFireMillis")) {
            assertTrue(split.path(part).isNumber(), split.toString());
        }
        JsonNode after = cluster(armedStandby("c")).at("/failoverReady/estimatedGap");
        assertEquals(
                "detect: median of the last 1; latch: median of the last 1; fence: median of the last 1;"
                        + " rebuild: median of the last 1; first fire: median of the last 1",
                after.path("basis").asText());
        assertEquals(split.path("detectMillis"), after.path("detectMillis"));
    }

    /** The parts of the latest promotion; missing until it is in the history. */
    private static JsonNode split(SchedulerNode node) throws Exception {
        for (JsonNode change : cluster(node).path("history")) {
            if (change.path("to").asText().equals("MASTER")) {
                return change.path("split");
            }
        }
        return MissingNode.getInstance();
    }

    private static JsonNode cluster(SchedulerNode node) throws Exception {
        return new NodeClient(URI.create(node.url()), Duration.ofSeconds(20)).get("/api/v1/cluster");
    }

    /** Every 100 ms. */
    private void insertTask() {
        tasks.insert(
                "t",
                "{\"schedule\":{\"every\":\"PT0.1S\"},\"start\":\"2026-01-05T00:00:00.000Z\","
                        + "\"overlap\":\"ALLOW\",\"handler\":{\"type\":\"java\",\"key\":\"k\"}}",
                tasks.number("select twinbell.now_millis()") / 100 * 100 + 100);
    }

    @Test
    void a_master_whose_port_is_silent_and_that_has_left_the_database_is_lost() throws Exception {
        DyingMaster a = masterA();
        SchedulerNode b = armedStandby("b");
        int port = URI.create(a.url()).getPort();
        a.closesItsPort();
        // The last connection to it may be on its way out yet.
        try (ServerSocket silent = await().ignoreException(BindException.class)
                .until(() -> new ServerSocket(port, 5, InetAddress.getLoopbackAddress()), Objects::nonNull)) {
            a.leavesTheDatabase();
            await().until(() -> b.role() == Role.MASTER);
            assertEquals(port, silent.getLocalPort());
        }
        tasks.assertRows("select node, verdict from twinbell.takeover", "b|LOST");
    }

    @Test
    void a_master_that_has_lost_the_lock_alone_stays_master() throws Exception {
        DyingMaster a = masterA();
        SchedulerNode b = armedStandby("b");
        tasks.query("select pg_terminate_backend(" + a.lockBackend() + ", 2000)");
        await().until(() -> metric(b, "twinbell_takeover_verdicts_total{verdict=\"ALIVE\"} 1.0"));
        assertEquals(Role.STANDBY, b.role());
        await("the lock is free for the master").until(() -> metric(b, "twinbell_database_lock_held 0.0"));
        assertEquals(List.of(), tasks.query("select node, verdict from twinbell.takeover"));
    }

    private SchedulerNode armedStandby(String id) {
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        NodeConfig config = new NodeConfig(
                database.getDatabaseName(),
                id,
                new NodeConfig.Listeners(any, any),
                new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                new NodeConfig.ZooKeeper(zooKeeper, SESSION),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7)),
                HandlerConfig.DEFAULT);
        Map<String, TaskHandler> handlers = Map.of("k", context -> calls.incrementAndGet());
        SchedulerNode node = opened(new SchedulerNode(config, handlers, MBeanServerFactory.newMBeanServer()));
        node.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> metric(node, "twinbell_fast_takeover_armed 1.0"));
        return node;
    }

    private static boolean metric(SchedulerNode node, String line) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(node.url() + "/metrics")).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .anyMatch(line::equals);
    }
}
