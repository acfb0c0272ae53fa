package io.twinbell.ha.latch;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.cluster.WrongClusterException;
import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What another client of ZooKeeper writes into the cluster's folders on a real server, and what the nodes make of it. */
class ForeignNodesTest {
    private static final Duration SESSION = Duration.ofSeconds(30);
    private static final int WRITE_ALONE = 2;
    private static final String KEY = "the database's key";

    private static TestingServer server;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final String cluster = "c" + UUID.randomUUID();
    private final AtomicLong nanos = new AtomicLong();
    private final CuratorFramework stranger =
            opened(CuratorFrameworkFactory.newClient(server.getConnectString(), 30_000, 5_000, new RetryOneTime(50)));
    private final Node a = new Node("a");
    private final Node b = new Node("b");

    /** A node that recognises others by their entries, as in production. */
    private final class Node {
        final CountDownLatch gone = new CountDownLatch(1);
        final String name;
        final ZooKeeperLink link;
        final KnownMembers members = new KnownMembers();
        final CuratorPeers peers;
        final CuratorLatch latch;
        final ZooKeeperSessions sessions;

        Node(String name) {
            this.name = name;
            link = opened(
                    new ZooKeeperLink(server.getConnectString(), cluster, SESSION, ZooKeeperAccess.OPEN, () -> {}));
            peers = opened(new CuratorPeers(
                    link, name, members, nanos::get, new CuratorPeers.Listeners(() -> {}, gone::countDown, () -> {})));
            latch = opened(new CuratorLatch(link, name, peers::isNodeSession, nanos::get, () -> {}));
            sessions = opened(new ZooKeeperSessions(link, peers::isNodeSession, nanos::get));
        }

        void starts() {
            link.start();
            assertTrue(link.awaitConnection(Duration.ofSeconds(10)));
            members.add(KEY, Set.of());
            peers.start();
            peers.announce(entry());
        }

        Peer entry() {
            return new Peer(
                    name,
                    UUID.randomUUID().toString(),
                    "STANDBY",
                    "http://127.0.0.1:1",
                    "127.0.0.1:2",
                    "1",
                    "",
                    Peer.ReachReport.of(true));
        }

        void enters() {
            latch.enter();
            await().until(() -> latch.readElection().standing());
        }

        List<String> seesOthers() {
            return peers.others().stream().map(Peer::node).toList();
        }
    }

    @BeforeAll
    static void startZooKeeper() throws Exception {
        Map<String, Object> settings = Map.of("maxSessionTimeout", "60000", "extendedTypesEnabled", "true");
        server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 100, -1, settings), true);
    }

    @AfterAll
    static void stopZooKeeper() throws Exception {
        server.close();
    }

    @BeforeEach
    void start() {
        stranger.start();
        a.starts();
        b.starts();
        await().until(() ->
                a.seesOthers().equals(List.of("b")) && b.seesOthers().equals(List.of("a")));
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
    void a_foreign_node_does_not_block_the_latch_and_is_named() throws Exception {
        put(CreateMode.PERSISTENT, "latch/0", "a");
        put(CreateMode.PERSISTENT, "latch/0/child", "");
        put(CreateMode.PERSISTENT, "latch/latch-0000000000", "a");
        put(CreateMode.PERSISTENT, "latch/_c_" + new UUID(0, 0) + "-latch-0000000000", "b");
        put(CreateMode.CONTAINER, "latch/latch-0000000001", "a");
        put(CreateMode.EPHEMERAL, "latch/!", "a");
        put(CreateMode.EPHEMERAL, "latch/latch-0000000002", "x".repeat(100_000));
        stranger.create()
                .withMode(CreateMode.EPHEMERAL)
                .withACL(List.of(new ACL(WRITE_ALONE, new Id("world", "anyone"))))
                .forPath(path("latch/latch-0000000003"), new byte[0]);
        a.enters();
        b.enters();

        Election seen = Answered.election(a.latch);
        assertTrue(seen.held());
        assertEquals(List.of("a", "b"), seen.nodes());
        assertEquals(7, seen.foreignEntries().size(), seen.foreignEntries().toString());
        assertTrue(
                seen.foreignEntries().contains(path("latch/0") + " does not have the name of a latch node"),
                seen.foreignEntries().toString());
        assertTrue(seen.foreignEntries().contains(path("latch/latch-0000000003") + " is not readable"));
        a.latch.leave();
        await().until(() -> b.latch.readElection().held());
    }

    @Test
    void thousands_of_strangers_keep_nobody_from_seeing_the_line() throws Exception {
        for (CreateMode mode : List.of(CreateMode.PERSISTENT, CreateMode.EPHEMERAL)) {
            for (int i = 0; i < 2500; i++) {
                String name = "latch/_c_" + new UUID(0, mode.ordinal()) + String.format(Locale.ROOT, "-latch-%010d", i);
                stranger.create()
                        .orSetData()
                        .creatingParentsIfNeeded()
                        .withMode(mode)
                        .inBackground()
                        .forPath(path(name), new byte[1]);
            }
        }
        put(CreateMode.PERSISTENT, "latch/last", "");
        a.enters();
        b.enters();
        await().untilAsserted(() -> assertEquals(
                List.of("a", "b"),
                Answered.election(a.latch).nodes().stream()
                        .filter(node -> !node.equals("\0"))
                        .toList()));
        a.latch.leave();
        await().until(() -> b.latch.readElection().isCandidate("b"));
    }

    @Test
    void a_latch_node_of_another_process_counts_for_some_seconds_and_no_longer() throws Exception {
        put(CreateMode.EPHEMERAL, "latch/_c_" + UUID.randomUUID() + "-latch-0000000000", "b");
        a.enters();
        assertFalse(Answered.election(a.latch).held(), "it may be the place of a node whose entry is on its way");
        assertEquals(List.of(), Answered.election(a.latch).foreignEntries());
        nanos.addAndGet(ForeignNodes.GRACE.toNanos());
        Election seen = Answered.election(a.latch);
        assertTrue(seen.held());
        assertEquals(List.of("a"), seen.nodes());
        assertEquals(1, seen.foreignEntries().size());
    }

    @Test
    void a_node_keeps_its_place_before_those_that_come_later_under_smaller_numbers() throws Exception {
        a.enters();
        put(CreateMode.EPHEMERAL, "latch/_c_" + new UUID(0, 0) + "-latch--000000001", "b");
        put(CreateMode.EPHEMERAL, "latch/latch-0000000000", "b");
        assertTrue(Answered.election(a.latch).held());
    }

    @Test
    void the_session_of_a_dead_master_is_ended_whatever_stands_before_it() throws Exception {
        put(CreateMode.PERSISTENT, "latch/0", "a");
        a.enters();
        b.enters();
        LatchSession ofA = a.sessions.own(Answered.election(a.latch)).orElseThrow();
        assertEquals(LatchSessions.EndResult.ENDED, b.sessions.end(ofA));
        assertTrue(b.gone.await(10, TimeUnit.SECONDS), "the entry disappears with the session, which is reported");
        await().until(() -> b.latch.readElection().held());
    }

    @Test
    void entries_that_no_node_has_written_are_not_believed_and_named() throws Exception {
        byte[] ofB = stranger.getData().forPath(path("nodes/b"));
        put(CreateMode.PERSISTENT, "nodes/p", "incarnation=i\nrole=STANDBY\nhttp=http://127.0.0.1:9\n");
        put(
                CreateMode.EPHEMERAL,
                "nodes/e",
                "incarnation=i\nrole=STANDBY\nhttp=http://127.0.0.1:9\ndatabaseReached=true\n");
        stranger.create().withMode(CreateMode.EPHEMERAL).forPath(path("nodes/copy"), ofB);
        put(CreateMode.EPHEMERAL, "nodes/escape", "role=\\u12");
        put(CreateMode.EPHEMERAL, "nodes/address", "http=file:///etc/passwd\n");
        put(CreateMode.EPHEMERAL, "nodes/user", "http=http://127.0.0.1:1@evil:80\n");
        put(CreateMode.EPHEMERAL, "nodes/long", "role=" + "x".repeat(900_000));
        put(CreateMode.EPHEMERAL, "nodes/empty", "");
        stranger.create().forPath(path("nodes/null"), null);
        put(CreateMode.PERSISTENT, "nodes/p/deep", "incarnation=i\n");
        put(CreateMode.EPHEMERAL, "nodes/\u202ename", "role=\\u12");
        await().until(() -> a.peers.foreignEntries().size() >= 5);
        nanos.addAndGet(ForeignNodes.GRACE.toNanos());

        await().until(() -> a.peers.foreignEntries().size() == 10);
        assertEquals(List.of("b"), a.seesOthers());
        assertTrue(
                a.peers.foreignEntries().contains(path("nodes/copy") + " was not written by a node of this database"));
        assertTrue(a.peers.foreignEntries().contains(path("nodes/?name") + " is not a valid node entry"));
    }

    @Test
    void an_entry_that_another_client_changes_is_not_believed_and_written_again() throws Exception {
        byte[] ofB = stranger.getData().forPath(path("nodes/b"));
        String moved = new String(ofB, StandardCharsets.UTF_8)
                .replace("http\\://", "http://")
                .replace("127.0.0.1:1", "127.0.0.1:9");
        stranger.setData().forPath(path("nodes/b"), moved.getBytes(StandardCharsets.UTF_8));
        await().until(() -> a.seesOthers().equals(List.of("b")) && isAsWritten("b", ofB));
        assertTrue(a.peers.others().stream().allMatch(peer -> peer.http().endsWith(":1")));
    }

    @Test
    void a_node_takes_the_place_of_its_entry_from_whatever_stands_there() throws Exception {
        Node c = new Node("c");
        put(CreateMode.PERSISTENT, "nodes/c", "incarnation=i\nrole=MASTER\nhttp=http://127.0.0.1:9\n");
        put(CreateMode.PERSISTENT, "nodes/c/child", "");
        c.starts();
        await().until(() -> a.seesOthers().equals(List.of("b", "c")));
        Stat stat = stranger.checkExists().forPath(path("nodes/c"));
        assertEquals(c.link.session(), stat.getEphemeralOwner());
    }

    @Test
    void a_node_of_another_database_is_none_of_the_pair() {
        Node c = new Node("c");
        c.starts();
        c.members.add("another key", Set.of());
        c.peers.announce(new Peer("c", "i", "MASTER", "", "", "", "", Peer.ReachReport.of(false)));
        await().until(() -> c.seesOthers().isEmpty());
        await().until(() -> a.seesOthers().equals(List.of("b")));
    }

    @Test
    void a_cluster_id_that_is_no_id_ends_the_node_with_a_message_that_shows_it() throws Exception {
        put(CreateMode.PERSISTENT, "cluster-id", "\u001b[2J" + "x".repeat(5000));
        WrongClusterException refused =
                assertThrows(WrongClusterException.class, () -> ClusterIdNode.check(a.link, UUID.randomUUID()));
        assertTrue(refused.getMessage().contains("is ?[2Jxxx"), refused.getMessage());
        assertTrue(refused.getMessage().length() < 1000);
    }

    private boolean isAsWritten(String node, byte[] bytes) throws Exception {
        return java.util.Arrays.equals(bytes, stranger.getData().forPath(path("nodes/" + node)));
    }

    private void put(CreateMode mode, String name, String data) throws Exception {
        stranger.create()
                .creatingParentsIfNeeded()
                .withMode(mode)
                .forPath(path(name), data.getBytes(StandardCharsets.UTF_8));
    }

    private String path(String name) {
        return "/twinbell/" + cluster + "/" + name;
    }
}
