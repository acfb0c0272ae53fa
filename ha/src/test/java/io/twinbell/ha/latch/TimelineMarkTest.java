package io.twinbell.ha.latch;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.database.ServerHistory.Position;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimelineMarkTest {
    private static final long SYSTEM = 7_000_000_000_000_000_007L;

    private final KnownMembers members = new KnownMembers();
    private final ServerHistory ofA = new ServerHistory();
    private final ServerHistory ofB = new ServerHistory();
    private TestingServer server;
    private ZooKeeperLink link;
    private TimelineMark a;
    private TimelineMark b;

    @BeforeEach
    void start() throws Exception {
        server = new TestingServer();
        link = new ZooKeeperLink(
                server.getConnectString(),
                "c" + UUID.randomUUID(),
                Duration.ofSeconds(10),
                ZooKeeperAccess.OPEN,
                () -> {});
        link.start();
        await().until(link::isConnected);
        members.add("the database's key", Set.of());
        a = new TimelineMark(link, "a", members, ofA);
        b = new TimelineMark(link, "b", members, ofB);
    }

    @AfterEach
    void stop() throws Exception {
        link.close();
        server.close();
    }

    @Test
    void each_node_learns_the_newest_timeline_that_the_other_has_used() {
        ofA.note(new Position(SYSTEM, 1, 0), "a server");
        ofB.note(new Position(SYSTEM, 2, 0), "another server");
        a.step();
        b.step();
        a.step();
        assertEquals(Optional.of(new Position(SYSTEM, 2, 0)), ofA.newest());
        assertEquals(1, ofA.generation(), "its connections belong to a former primary");
        assertEquals(0, ofB.generation());
    }

    @Test
    void a_node_that_was_restarted_learns_what_it_has_written_before() {
        ofB.note(new Position(SYSTEM, 2, 0), "the promoted server");
        b.step();

        ServerHistory restarted = new ServerHistory();
        restarted.note(new Position(SYSTEM, 1, 0), "a former primary");
        new TimelineMark(link, "b", members, restarted).step();

        assertEquals(Optional.of(new Position(SYSTEM, 2, 0)), restarted.newest());
        assertEquals(1, restarted.generation(), "its connections belong to a former primary");
    }

    @Test
    void an_unsealed_entry_is_not_believed_and_is_replaced() throws Exception {
        ofA.note(new Position(SYSTEM, 1, 0), "a server");
        a.step();
        byte[] sealed = link.client().getData().forPath(link.path("timeline"));
        for (String forged : new String[] {
            SYSTEM + " 9 b",
            SYSTEM + " 9 b " + "0".repeat(64),
            "",
            "x".repeat(100_000),
            new String(sealed, StandardCharsets.UTF_8).replace(" 1 ", " 9 ")
        }) {
            link.client().setData().forPath(link.path("timeline"), forged.getBytes(StandardCharsets.UTF_8));
            b.step();
            assertEquals(Optional.empty(), ofB.newest(), forged.length() > 200 ? "a long one" : forged);
            a.step();
            assertEquals(0, ofA.generation());
            assertEquals(
                    new String(sealed, StandardCharsets.UTF_8),
                    new String(link.client().getData().forPath(link.path("timeline")), StandardCharsets.UTF_8));
        }
    }

    @Test
    void the_timeline_of_another_system_is_followed_by_nobody_and_the_latest_word_stays() {
        ofA.note(new Position(SYSTEM, 5, 0), "before the upgrade");
        a.step();
        ofB.note(new Position(SYSTEM + 1, 1, 0), "after the upgrade");
        b.step();
        assertEquals(Optional.of(new Position(SYSTEM + 1, 1, 0)), ofB.newest());
        ServerHistory late = new ServerHistory();
        new TimelineMark(link, "late", members, late).step();
        assertEquals(Optional.of(new Position(SYSTEM + 1, 1, 0)), late.newest());
    }

    @Test
    void nodes_that_start_together_do_not_disturb_each_other() throws Exception {
        int nodes = 8;
        CyclicBarrier together = new CyclicBarrier(nodes);
        ExecutorService threads = Executors.newFixedThreadPool(nodes);
        try {
            List<Callable<Void>> starts = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                ServerHistory servers = new ServerHistory();
                servers.note(new Position(SYSTEM, 1, 0), "a server");
                TimelineMark mark = new TimelineMark(link, "node-" + i, members, servers);
                starts.add(() -> {
                    together.await();
                    mark.begin();
                    return null;
                });
            }
            for (Future<Void> start : threads.invokeAll(starts)) {
                start.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
