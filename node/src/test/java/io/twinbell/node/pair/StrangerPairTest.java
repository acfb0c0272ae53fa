package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServerFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** A whole pair while another client writes to its folders of ZooKeeper. */
@Timeout(120)
class StrangerPairTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** All rights for everybody, as in nodes of clients without access lists. */
    private static final List<ACL> OPEN = Collections.singletonList(new ACL(31, new Id("world", "anyone")));

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final Deque<SchedulerNode> nodes = new ArrayDeque<>();
    private ZooKeeper stranger;

    @BeforeEach
    void connect() throws Exception {
        // A shorter session would end while the machine stalls.
        stranger = new ZooKeeper(zooKeeper, 30_000, event -> {});
        await().until(() -> stranger.getState().isConnected());
    }

    @AfterEach
    void stop() throws Exception {
        while (!nodes.isEmpty()) {
            nodes.pop().close();
        }
        stranger.close();
    }

    @Test
    void a_strangers_node_before_the_election_keeps_no_master_from_its_role_and_is_named() throws Exception {
        put("", "");
        put("/latch", "");
        put("/latch/0", "a");
        put("/latch/latch-0000000000", "zzz");
        SchedulerNode a = start("a");
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b");
        await().until(() -> b.role() == Role.STANDBY);
        for (SchedulerNode asked : new SchedulerNode[] {a, b}) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> reasons(asked).contains("another client writes to ZooKeeper: " + path("/latch/0")));
        }
        a.close();
        await().until(() -> b.role() == Role.MASTER);
    }

    @Test
    void nodes_of_strangers_raise_no_epoch_before_the_next_promotion() throws Exception {
        SchedulerNode a = start("a");
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b");
        await().until(() -> b.role() == Role.STANDBY);
        long epoch = cluster(b).path("epoch").asLong();
        for (int i = 0; i < 300; i++) {
            stranger.create(path("/latch/x" + i), new byte[0], OPEN, CreateMode.EPHEMERAL);
            stranger.delete(path("/latch/x" + i), -1);
            stranger.create(path("/latch/latch-" + i), new byte[] {'a'}, OPEN, CreateMode.EPHEMERAL);
            stranger.delete(path("/latch/latch-" + i), -1);
        }
        assertEquals(epoch, cluster(a).path("epoch").asLong());
        assertEquals(Role.MASTER, a.role());
        SchedulerNode c = restarted(b);
        assertEquals(epoch, cluster(a).path("epoch").asLong());
        a.close();
        await().until(() -> c.role() == Role.MASTER);
        assertTrue(cluster(c).path("epoch").asLong() > epoch + 1_200, "the id of its latch node counts all writes");
    }

    private SchedulerNode restarted(SchedulerNode node) {
        nodes.remove(node);
        node.close();
        SchedulerNode again = start("b");
        await().until(() -> again.role() == Role.STANDBY);
        return again;
    }

    @Test
    void the_address_of_a_forged_entry_is_never_called() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        HttpServer trap = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        trap.createContext("/", exchange -> {
            calls.incrementAndGet();
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        trap.start();
        try {
            SchedulerNode a = start("a");
            await().until(() -> a.role() == Role.MASTER);
            SchedulerNode b = start("b");
            await().until(() ->
                    b.role() == Role.STANDBY && cluster(a).path("nodes").size() == 2);
            String forged =
                    "incarnation=00000000-0000-0000-0000-000000000000\nrole=STANDBY\ndatabaseReached=true\nhttp=http://127.0.0.1:"
                            + trap.getAddress().getPort() + "\n";
            put("/nodes/evil", forged);
            stranger.create(path("/nodes/forged"), forged.getBytes(StandardCharsets.UTF_8), OPEN, CreateMode.EPHEMERAL);
            stranger.setData(path("/nodes/b"), forged.getBytes(StandardCharsets.UTF_8), -1);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> reasons(a).contains(path("/nodes/evil"))
                            && reasons(b).contains(path("/nodes/forged"))
                            && !reasons(a).contains("no standby"));
            assertEquals(2, cluster(a).path("nodes").size());
            assertFalse(cluster(a).path("failoverReady").path("ready").asBoolean());
            assertEquals(0, calls.get());
        } finally {
            trap.stop(0);
        }
    }

    private static JsonNode cluster(SchedulerNode node) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(node.url() + "/api/v1/cluster"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return MAPPER.readTree(answer.body());
    }

    private static String reasons(SchedulerNode node) throws Exception {
        return cluster(node).path("failoverReady").path("reasons").toString();
    }

    private void put(String name, String data) throws Exception {
        if (stranger.exists("/twinbell", false) == null) {
            stranger.create("/twinbell", new byte[0], OPEN, CreateMode.PERSISTENT);
        }
        stranger.create(path(name), data.getBytes(StandardCharsets.UTF_8), OPEN, CreateMode.PERSISTENT);
    }

    private String path(String name) {
        return "/twinbell/" + database.getDatabaseName() + name;
    }

    @Test
    void a_node_whose_zookeeper_is_another_waits_for_the_master_to_end_and_is_named() throws Exception {
        String elsewhere = TestZooKeeper.freshFolder();
        SchedulerNode a = start("a");
        await().until(() -> a.role() == Role.MASTER);
        long epoch = cluster(a).path("epoch").asLong();
        SchedulerNode b = start("b", elsewhere);
        await().until(() -> b.joinObstacle().orElse("").contains("give both nodes the same zookeeper.connect"));
        assertTrue(b.joinObstacle().orElseThrow().contains(elsewhere));
        String named = "node b uses this database but waits: its zookeeper.connect " + elsewhere;
        assertTrue(reasons(a).contains(named), reasons(a));
        assertTrue(reasons(b).contains(named), reasons(b));
        assertEquals(Role.STOPPED, b.role());
        assertEquals(Role.MASTER, a.role());
        assertEquals(epoch, cluster(a).path("epoch").asLong());
        nodes.remove(a);
        a.close();
        await().until(() -> b.role() == Role.MASTER);
        SchedulerNode again = start("a", elsewhere);
        await().until(() -> again.role() == Role.STANDBY);
    }

    private SchedulerNode start(String node) {
        return start(node, zooKeeper);
    }

    private SchedulerNode start(String node, String connect) {
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        Duration week = Duration.ofDays(7);
        SchedulerNode started = new SchedulerNode(
                new NodeConfig(
                        database.getDatabaseName(),
                        node,
                        new NodeConfig.Listeners(any, any),
                        new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                        new NodeConfig.ZooKeeper(connect, Duration.ofSeconds(2)),
                        new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                        new NodeConfig.Retention(week, week, week, week, week),
                        HandlerConfig.DEFAULT),
                Map.of(),
                MBeanServerFactory.newMBeanServer());
        nodes.push(started);
        started.start();
        return started;
    }
}
