package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.ha.role.Role;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
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
import javax.management.MBeanServerFactory;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A whole node b beside a master a whose parts die one by one, on real servers. The sessions of ZooKeeper last longer than
 * any test, so a takeover cannot have waited for one to time out.
 */
@Timeout(90)
class FastTakeoverTest {
    private static final Duration SESSION = Duration.ofMinutes(5);

    private static TestingServer zooKeeper;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @BeforeAll
    static void startZooKeeper() throws Exception {
        Map<String, Object> settings = Map.of("maxSessionTimeout", String.valueOf(SESSION.toMillis()));
        zooKeeper = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 100, -1, settings), true);
    }

    @AfterAll
    static void stopZooKeeper() throws Exception {
        zooKeeper.close();
    }

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
        return opened(new DyingMaster(database, zooKeeper.getConnectString(), SESSION));
    }

    @Test
    void a_master_whose_process_is_gone_is_replaced_though_its_zookeeper_session_lives() throws Exception {
        DyingMaster a = masterA();
        SchedulerNode b = armedStandby();
        a.dies();
        await().until(() -> b.role() == Role.MASTER);
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
    }

    @Test
    void a_master_whose_port_is_silent_and_that_has_left_the_database_is_lost() throws Exception {
        DyingMaster a = masterA();
        SchedulerNode b = armedStandby();
        int port = URI.create(a.url()).getPort();
        a.closesItsPort();
        // The last connection to it may be on its way out yet.
        try (ServerSocket silent = await().ignoreException(BindException.class)
                .until(() -> new ServerSocket(port, 5, InetAddress.getLoopbackAddress()), Objects::nonNull)) {
            a.leavesTheDatabase();
            await().until(() -> b.role() == Role.MASTER);
            assertEquals(port, silent.getLocalPort());
        }
        assertEquals(List.of("b|LOST"), tasks.query("select node, verdict from twinbell.takeover"));
    }

    @Test
    void a_master_that_has_lost_the_lock_alone_stays_master() throws Exception {
        DyingMaster a = masterA();
        SchedulerNode b = armedStandby();
        tasks.query("select pg_terminate_backend(" + a.lockBackend() + ", 2000)");
        await().until(() -> metric(b, "twinbell_takeover_verdicts_total{verdict=\"ALIVE\"} 1.0"));
        assertEquals(Role.STANDBY, b.role());
        await("the lock is free for the master").until(() -> metric(b, "twinbell_database_lock_held 0.0"));
        assertEquals(List.of(), tasks.query("select node, verdict from twinbell.takeover"));
    }

    private SchedulerNode armedStandby() {
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        NodeConfig config = new NodeConfig(
                cluster(),
                "b",
                new NodeConfig.Listeners(any, any),
                new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                new NodeConfig.ZooKeeper(zooKeeper.getConnectString(), SESSION),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7)),
                NodeConfig.HandlerConfig.DEFAULT);
        SchedulerNode b = opened(new SchedulerNode(config, Map.of(), MBeanServerFactory.newMBeanServer()));
        b.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> metric(b, "twinbell_fast_takeover_armed 1.0"));
        return b;
    }

    private String cluster() {
        return database.getDatabaseName();
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
