package io.twinbell.ha.latch;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.latch.LatchSessions.EndResult;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ends another node's session on a real ZooKeeper. Timeouts are so long that no session ends by itself in a test. */
class ZooKeeperSessionsTest {
    private static final Duration SESSION = Duration.ofMinutes(5);

    private static TestingServer server;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final String cluster = "c" + UUID.randomUUID();
    private final Node a = new Node("a", null);
    private final Node b = new Node("b", null);

    /** A node with its place in the election and its {@code ZooKeeperSessions}. */
    private final class Node {
        final ZooKeeperLink link;
        final CuratorLatch latch;
        final ZooKeeperSessions sessions;

        Node(String name, String connect) {
            link = opened(new ZooKeeperLink(
                    connect == null ? server.getConnectString() : connect,
                    cluster,
                    SESSION,
                    ZooKeeperAccess.OPEN,
                    () -> {}));
            latch = opened(new CuratorLatch(link, name, session -> true, Ticker.SYSTEM, () -> {}));
            sessions = opened(new ZooKeeperSessions(link, session -> true, Ticker.SYSTEM));
        }

        Node entered() {
            link.start();
            assertTrue(link.awaitConnection(Duration.ofSeconds(10)));
            latch.enter();
            await().until(() -> latch.readElection().standing());
            return this;
        }

        LatchSession own() {
            return sessions.own(Answered.election(latch)).orElseThrow();
        }
    }

    @BeforeAll
    static void startZooKeeper() throws Exception {
        Map<String, Object> settings = Map.of("maxSessionTimeout", String.valueOf(SESSION.toMillis()));
        server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 100, -1, settings), true);
    }

    @AfterAll
    static void stopZooKeeper() throws Exception {
        server.close();
    }

    @BeforeEach
    void enter() {
        a.entered();
        b.entered();
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

    @Test
    void the_latch_passes_on_when_its_holders_session_is_ended_long_before_it_would_time_out() {
        assertEquals(EndResult.ENDED, b.sessions.end(a.own()));
        await().until(() -> b.latch.readElection().held());
    }

    @Test
    void a_holder_that_lives_is_told_and_gives_its_place_up() {
        LatchSession ended = a.own();
        b.sessions.end(ended);
        await().until(() -> a.link.isConnected() && a.link.session() != ended.id());
        await().until(() -> a.latch.readElection().nodes().equals(List.of("b")));
    }

    @Test
    void only_the_very_latch_node_that_was_recorded_is_ended() {
        LatchSession now = a.own();
        LatchSession before = new LatchSession(now.id(), now.password(), now.latchCzxid() - 1);
        assertEquals(EndResult.NOT_THE_HOLDER, b.sessions.end(before));
        LatchSession another = new LatchSession(now.id() + 1, now.password(), now.latchCzxid());
        assertEquals(EndResult.NOT_THE_HOLDER, b.sessions.end(another));
        assertTrue(Answered.election(a.latch).held());
        assertEquals(now, a.own(), "its session is the same");
    }

    @Test
    void the_session_of_one_who_only_stands_in_line_is_left_alone() {
        LatchSession second = b.own();
        assertEquals(EndResult.NOT_THE_HOLDER, a.sessions.end(second));
        assertEquals(second, b.own());
    }

    @Test
    void a_session_that_is_over_already_is_nobodys() {
        LatchSession left = a.own();
        a.link.close();
        await().until(() -> b.latch.readElection().held());
        assertEquals(EndResult.NOT_THE_HOLDER, b.sessions.end(left));
        assertTrue(Answered.election(b.latch).held());
    }

    @Test
    void a_wrong_password_ends_nothing() {
        LatchSession now = a.own();
        assertNotEquals(EndResult.ENDED, b.sessions.end(new LatchSession(now.id(), "00".repeat(16), now.latchCzxid())));
        await("the server cuts the owner's connection, and it comes back")
                .until(() -> a.latch.readElection().held());
        assertEquals(now, a.own());
    }

    @Test
    void a_zookeeper_that_hangs_is_not_waited_for_long() throws Exception {
        try (HangingElectionQueue line = new HangingElectionQueue(server.getPort())) {
            Node c = new Node("c", line.connectString()).entered();
            line.hang();
            assertEquals(EndResult.NOT_ANSWERED, c.sessions.end(a.own()));
            assertTrue(Answered.election(a.latch).held());
            line.goOn();
        }
    }

    @Test
    void a_node_outside_the_election_records_nothing() {
        a.latch.leave();
        assertEquals(Optional.empty(), a.sessions.own(Answered.election(a.latch)));
    }

    @Test
    void a_place_that_was_seen_under_an_older_session_is_not_recorded() throws Exception {
        Election seen = Answered.election(a.latch);
        a.link.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
        await().until(() -> a.link.isConnected() && a.link.session() != seen.session());
        assertEquals(Optional.empty(), a.sessions.own(seen));
    }
}
