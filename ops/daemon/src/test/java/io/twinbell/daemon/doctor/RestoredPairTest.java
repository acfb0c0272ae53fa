package io.twinbell.daemon.doctor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.pair.SchedulerNode;
import io.twinbell.persistence.testing.RestorablePostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.management.MBeanServerFactory;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A whole pair whose database is put back to an older state, or copied. All servers are real. */
@Timeout(240)
class RestoredPairTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final NodeConfig.Endpoint ANY = new NodeConfig.Endpoint("127.0.0.1", 0);
    private static final String MARK = "select last_value from twinbell.history_mark";

    @TempDir
    Path directory;

    private final Deque<SchedulerNode> nodes = new ArrayDeque<>();
    private TestingServer zooKeeper;
    private RestorablePostgres server;

    @BeforeEach
    void startServers() throws Exception {
        zooKeeper = zooKeeper();
        server = RestorablePostgres.start(directory);
    }

    @AfterEach
    void stop() throws Exception {
        stopNodes();
        server.close();
        zooKeeper.close();
    }

    @Tag("thorough")
    @Test
    void files_that_are_put_back_under_a_running_pair_are_not_used_until_they_are_adopted() throws Exception {
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        NodeConfig a = config("a", zooKeeper, server.database());
        start(a, calls);
        start(config("b", zooKeeper, server.database()), calls);
        addTask(server.database());
        awaitCalls(calls);
        server.backUp();
        String before = ask(server.database(), MARK);
        await().atMost(PATIENCE).until(() -> Long.parseLong(ask(server.database(), MARK)) > Long.parseLong(before));
        // The newest mark is exchanged once a second.
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true);

        server.putBack();
        int called = calls.size();
        String entered = "select count(*) from twinbell.execution";
        String found = ask(server.database(), entered);
        await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
        assertEquals(called, calls.size(), "nothing is called on the older copy");
        assertEquals(found, ask(server.database(), entered), "and nothing is entered there");

        stopNodes();
        SchedulerNode restarted = start(a, calls);
        await().atMost(PATIENCE).until(() -> restarted.joinObstacle().orElse("").contains("lacks all commits after"));
        assertEquals(Role.STOPPED, restarted.role());
        stopNodes();
        List<String> preview = new Adoption(a).preview(Optional.empty());
        assertTrue(preview.get(2).startsWith("tasks that are due since "), preview.toString());
        assertTrue(preview.get(2).endsWith(": 1"), preview.toString());
        assertTrue(preview.get(3).startsWith("  test/tick  "), preview.toString());
        List<String> adopted = new Adoption(a).adopt(Adoption.Slots.MISSED, Optional.empty());
        assertTrue(adopted.get(0).endsWith(" are recorded as MISSED"), adopted.toString());
        assertTrue(adopted.get(1).startsWith("removed from ZooKeeper: timeline "), adopted.toString());
        assertEquals(List.of(), new Adoption(a).adopt());
        start(a, calls);
        awaitCalls(calls);
        assertEquals(calls.size(), new HashSet<>(calls).size(), "no slot is called twice: " + calls);
        assertTrue(
                Long.parseLong(ask(
                                server.database(),
                                "select coalesce(sum(slots), 0) from twinbell.execution where state = 'MISSED'"
                                        + " and reason like 'may have run before the database was restored; %'"))
                        > 20,
                "what was called after the backup is entered");
    }

    @Test
    void a_copy_with_an_ensemble_of_its_own_does_not_fire_until_it_is_adopted() throws Exception {
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        start(config("a", zooKeeper, server.database()), calls);
        addTask(server.database());
        awaitCalls(calls);
        server.backUp();
        PGSimpleDataSource clone = server.startClone();
        Queue<String> callsOfTheClone = new ConcurrentLinkedQueue<>();
        try (TestingServer other = zooKeeper()) {
            NodeConfig a = config("a", other, clone);
            SchedulerNode node = start(a, callsOfTheClone);
            awaitMaster(node);
            awaitCalls(calls);
            assertEquals(0, callsOfTheClone.size());
            String reason = ask(clone, "select reason from twinbell.firing_pause where resumed_at is null");
            assertTrue(reason.startsWith("the database has moved: node a at http"), reason);
            assertTrue(reason.contains(other.getConnectString()), reason);
            node.close();
            nodes.remove(node);
            assertEquals(
                    List.of("firing is resumed; slots that passed during the pause are SKIPPED"),
                    new Adoption(a).adopt());
            SchedulerNode adopted = start(a, callsOfTheClone);
            awaitCalls(callsOfTheClone);
            adopted.close();
            nodes.remove(adopted);
        }
        assertFalse(nodes.isEmpty());
        awaitCalls(calls);
    }

    private static TestingServer zooKeeper() throws Exception {
        return new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 100, -1), true);
    }

    private void stopNodes() {
        while (!nodes.isEmpty()) {
            nodes.pop().close();
        }
    }

    private static void addTask(PGSimpleDataSource database) throws SQLException {
        ask(
                database,
                "select twinbell.add_task('test', 'tick', '{\"every\":\"PT0.1S\"}', '{\"type\":\"java\","
                        + "\"key\":\"test.tick\"}', '{\"overlap\":\"ALLOW\"}')");
    }

    private static void awaitMaster(SchedulerNode node) {
        await().atMost(PATIENCE).until(() -> node.role() == Role.MASTER);
    }

    private static void awaitCalls(Queue<String> calls) {
        int before = calls.size();
        await().atMost(PATIENCE).until(() -> calls.size() >= before + 5);
    }

    private static String ask(PGSimpleDataSource database, String query) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static NodeConfig config(String id, TestingServer zooKeeper, PGSimpleDataSource database) {
        return new NodeConfig(
                "pair",
                id,
                new NodeConfig.Listeners(ANY, ANY),
                new NodeConfig.Database(database.getUrl(), "postgres", null),
                new NodeConfig.ZooKeeper(zooKeeper.getConnectString(), Duration.ofSeconds(5)),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(WEEK, WEEK, WEEK, WEEK, WEEK),
                HandlerConfig.DEFAULT);
    }

    private SchedulerNode start(NodeConfig config, Queue<String> calls) {
        TaskHandler tick = context -> {
            calls.add(context.fireTime() + " " + context.attempt());
            return null;
        };
        SchedulerNode node = new SchedulerNode(config, Map.of("test.tick", tick), MBeanServerFactory.newMBeanServer());
        node.start();
        nodes.push(node);
        return node;
    }
}
