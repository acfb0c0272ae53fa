package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A node prepares to join while its listeners start, but is nobody's member before they have started. */
class StartOrderTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final CompletableFuture<MBeanServer> beanServer = new CompletableFuture<>();

    @TempDir
    private Path folder;

    @Test
    void a_node_joins_as_soon_as_its_listeners_have_started() throws Exception {
        try (SchedulerNode node = node(beanServer::join)) {
            CompletableFuture<Void> start = CompletableFuture.runAsync(node::start);
            awaitWaitingForListeners(node);
            assertEquals(Role.STOPPED, node.role());
            assertEquals(0, members());

            beanServer.complete(MBeanServerFactory.newMBeanServer());
            start.join();
            await().atMost(LONG).until(() -> node.role() == Role.MASTER);
            assertEquals(1, members());
        }
    }

    @Test
    void a_node_whose_listeners_cannot_start_has_not_taken_part_in_the_election() throws Exception {
        SchedulerNode node = node(beanServer::join);
        CompletableFuture<Void> start = CompletableFuture.runAsync(node::start);
        awaitWaitingForListeners(node);

        beanServer.completeExceptionally(new IllegalStateException("taken"));
        CompletionException failure = assertThrows(CompletionException.class, start::join);
        assertTrue(failure.getMessage().contains("taken"), failure.getMessage());
        assertEquals(0, members());

        try (SchedulerNode next = node(MBeanServerFactory::newMBeanServer)) {
            next.start();
            await().atMost(LONG).until(() -> next.role() == Role.MASTER);
        }
    }

    private static void awaitWaitingForListeners(SchedulerNode node) {
        await().atMost(LONG).until(() -> node.joinObstacle().orElse("").contains("own listeners have not started yet"));
    }

    private SchedulerNode node(Supplier<MBeanServer> beans) {
        return new SchedulerNode(
                ConfigReader.read(
                        null,
                        Map.of(),
                        List.of(
                                "node.id=a",
                                "http.port=0",
                                "jmx.port=0",
                                "database.url=" + database.getUrl(),
                                "database.user=" + database.getUser(),
                                "database.password=" + (database.getPassword() == null ? "" : database.getPassword()),
                                "zookeeper.connect=" + zooKeeper)),
                RegisteredCode.NONE,
                beans);
    }

    private int members() throws Exception {
        try (Connection connection = database.getConnection();
                ResultSet row =
                        connection.createStatement().executeQuery("select count(*)::int from twinbell.member")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void an_ipv6_host_stands_in_brackets() throws Exception {
        Path file = Files.writeString(folder.resolve("twinbell.yaml"), """
                node: {id: a}
                database: {url: "jdbc:postgresql://db/twinbell"}
                zookeeper: {connect: "zk:2181"}
                http: {host: "::1"}
                jmx: {host: "::1", port: 9081}
                """);
        NodeConfig.Listeners config =
                ConfigReader.read(file, Map.of(), List.of()).listeners();
        NodeListeners listeners = new NodeListeners(config, ManagementFactory::getPlatformMBeanServer);
        assertEquals("[::1]", URI.create(listeners.url()).getHost());
        assertEquals("[::1]", URI.create(listeners.warmUpUrl()).getHost());
        assertEquals("[::1]:9081", config.jmx().address());
    }
}
