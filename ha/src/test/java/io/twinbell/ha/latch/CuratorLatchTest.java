package io.twinbell.ha.latch;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.WrongClusterException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The latch, the nodes' entries and the cluster's mark on a real ZooKeeper server. */
class CuratorLatchTest {
    private static final Duration SESSION = Duration.ofSeconds(2);
    /** Longer than a restart of the server on any machine. */
    private static final Duration LONG_SESSION = Duration.ofSeconds(60);

    private static TestingServer server;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final String cluster = "c" + UUID.randomUUID();
    private final Place a = new Place("a");
    private final Place b = new Place("b");

    /** One node's connection and its place in the election. */
    private final class Place {
        final CountDownLatch changed = new CountDownLatch(1);
        final CountDownLatch entryChanged = new CountDownLatch(1);
        final ZooKeeperLink link;
        final CuratorLatch latch;
        final CuratorPeers peers;

        Place(String node) {
            this(node, SESSION);
        }

        Place(String node, Duration session) {
            link = opened(
                    new ZooKeeperLink(server.getConnectString(), cluster, session, ZooKeeperAccess.OPEN, () -> {}));
            latch = opened(new CuratorLatch(link, node, any -> true, Ticker.SYSTEM, changed::countDown));
            KnownMembers members = new KnownMembers();
            members.add("the key", Set.of());
            peers = opened(new CuratorPeers(
                    link,
                    node,
                    members,
                    Ticker.SYSTEM,
                    new CuratorPeers.Listeners(entryChanged::countDown, () -> {}, () -> {})));
        }

        void enters() {
            latch.enter();
            await().until(() -> latch.readElection().standing());
        }
    }

    @BeforeAll
    static void startZooKeeper() throws Exception {
        int tickMillis = 100;
        Map<String, Object> settings = Map.of("maxSessionTimeout", String.valueOf(LONG_SESSION.toMillis()));
        server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, tickMillis, -1, settings), true);
    }

    @AfterAll
    static void stopZooKeeper() throws Exception {
        server.close();
    }

    @BeforeEach
    void connect() {
        for (Place place : List.of(a, b)) {
            place.link.start();
            assertTrue(place.link.awaitConnection(Duration.ofSeconds(10)));
        }
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
    void the_first_to_enter_holds_the_latch_and_the_second_stands_behind_it() {
        a.enters();
        b.enters();
        assertTrue(Answered.election(a.latch).held());
        Election seenByB = Answered.election(b.latch);
        assertFalse(seenByB.held());
        assertEquals(List.of("a", "b"), seenByB.nodes());
        assertTrue(seenByB.czxid() > Answered.election(a.latch).czxid(), "creation ids grow");
    }

    @Test
    void one_who_does_not_stand_sees_the_line_too() {
        assertEquals(List.of(), Answered.election(b.latch).nodes());
        a.enters();
        Election seenByB = Answered.election(b.latch);
        assertTrue(seenByB.connected());
        assertFalse(seenByB.standing());
        assertEquals(List.of("a"), seenByB.nodes());
    }

    @Test
    void entering_twice_is_standing_once() {
        a.enters();
        a.latch.enter();
        assertEquals(List.of("a"), Answered.election(b.latch).nodes());
    }

    @Test
    void the_latch_passes_to_the_next_when_its_holder_leaves_and_the_next_is_told() throws Exception {
        a.enters();
        b.enters();
        a.latch.leave();
        assertTrue(b.changed.await(10, TimeUnit.SECONDS), "without waiting for a session to time out");
        assertTrue(Answered.election(b.latch).held());
        await().until(() -> b.latch.readElection().nodes().equals(List.of("b")));
    }

    @Test
    void a_node_that_left_may_enter_again_at_the_end_of_the_line() {
        a.enters();
        b.enters();
        a.latch.leave();
        a.enters();
        assertEquals(List.of("b", "a"), Answered.election(a.latch).nodes());
    }

    @Test
    void a_latch_node_that_was_deleted_by_hand_is_noticed_by_looking() throws Exception {
        a.enters();
        b.enters();
        deleteLatchNodeOf("a");
        Election seen = Answered.election(a.latch);
        assertFalse(seen.standing());
        assertFalse(seen.held(), "though the recipe itself still believes it");
        await().until(() -> b.latch.readElection().held());
        a.latch.leave();
        a.enters();
        assertEquals(List.of("b", "a"), Answered.election(a.latch).nodes());
    }

    @Test
    void a_node_removes_what_its_earlier_processes_left_in_the_line_and_nothing_else() {
        Place dead = new Place("a", LONG_SESSION);
        dead.link.start();
        assertTrue(dead.link.awaitConnection(Duration.ofSeconds(10)));
        dead.enters();
        b.enters();
        a.enters();
        assertEquals(List.of("a", "b", "a"), Answered.election(a.latch).nodes());
        a.latch.removePredecessors();
        assertEquals(List.of("b", "a"), Answered.election(a.latch).nodes());
        assertTrue(Answered.election(b.latch).held(), "long before the dead session times out");
        a.latch.removePredecessors();
        assertEquals(List.of("b", "a"), Answered.election(a.latch).nodes());
    }

    @Test
    void an_expired_session_gives_the_place_up_until_somebody_decides_to_enter() throws Exception {
        a.enters();
        b.enters();
        long session = a.link.session();
        a.link.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
        await().until(() -> b.latch.readElection().held());
        await().until(() -> a.link.isConnected() && a.link.session() != session);
        assertEquals(List.of("b"), Answered.election(a.latch).nodes(), "it does not stand again by itself");
        a.enters();
        assertEquals(List.of("b", "a"), Answered.election(a.latch).nodes());
    }

    @Test
    void without_zookeeper_nothing_is_known_and_nothing_is_lost() throws Exception {
        Place c = new Place("c", LONG_SESSION);
        c.link.start();
        assertTrue(c.link.awaitConnection(Duration.ofSeconds(10)));
        c.enters();
        long session = c.link.session();
        server.stop();
        await().until(() -> !c.link.isConnected());
        assertEquals(Election.UNREACHABLE, c.latch.readElection());
        server.restart();
        await().atMost(LONG_SESSION).until(() -> c.latch.readElection().held());
        assertEquals(session, c.link.session());
    }

    @Test
    void a_zookeeper_that_hangs_keeps_nobody_waiting_who_looks() throws Exception {
        try (HangingElectionQueue line = new HangingElectionQueue(server.getPort())) {
            ZooKeeperLink link =
                    opened(new ZooKeeperLink(line.connectString(), cluster, SESSION, ZooKeeperAccess.OPEN, () -> {}));
            CuratorLatch latch = opened(new CuratorLatch(link, "c", session -> true, Ticker.SYSTEM, () -> {}));
            link.start();
            assertTrue(link.awaitConnection(Duration.ofSeconds(10)));
            latch.enter();
            await().until(() -> latch.readElection().held());
            line.hang();
            assertEquals(Election.UNREACHABLE, latch.readElection());
            assertTrue(link.isConnected(), "answered before the client itself noticed that the server hangs");
            line.goOn();
            await().until(() -> latch.readElection().held());
        }
    }

    @Test
    void the_granted_session_timeout_is_known() {
        assertEquals(SESSION.toMillis(), a.link.negotiatedTimeoutMillis());
    }

    @Test
    void a_nodes_entry_appears_changes_and_goes_with_its_session() {
        b.peers.start();
        a.peers.announce(entry("a", "STANDBY", true));
        await().until(() -> b.peers.others().equals(List.of(entry("a", "STANDBY", true))));
        a.peers.announce(entry("a", "MASTER", false));
        await().until(() -> b.peers.others().equals(List.of(entry("a", "MASTER", false))));
        a.link.close();
        await().until(() -> b.peers.others().isEmpty());
    }

    @Test
    void questions_and_answers_of_a_node_reach_the_other() throws Exception {
        Peer asking =
                new Peer("a", "i-1", "MASTER", "", "", "", "my \\ shop", new Peer.ReachReport(false, "i-1/3", "i-2/1"));
        b.peers.start();
        a.peers.announce(asking);
        assertTrue(b.entryChanged.await(10, TimeUnit.SECONDS));
        await().until(() -> b.peers.others().equals(List.of(asking)));
    }

    @Test
    void the_last_of_several_changes_stays() {
        b.peers.start();
        List.of("STANDBY", "PROMOTING", "MASTER").forEach(role -> a.peers.announce(entry("a", role, true)));
        await().until(() -> b.peers.others().equals(List.of(entry("a", "MASTER", true))));
    }

    @Test
    void a_node_does_not_see_itself_among_the_others() {
        a.peers.start();
        b.peers.start();
        a.peers.announce(entry("a", "STANDBY", true));
        b.peers.announce(entry("b", "MASTER", true));
        await().until(() -> a.peers.others().equals(List.of(entry("b", "MASTER", true))));
    }

    @Test
    void an_entry_comes_back_with_the_next_session() throws Exception {
        a.peers.start();
        b.peers.start();
        a.peers.announce(entry("a", "STANDBY", true));
        await().until(() -> b.peers.others().size() == 1);
        long session = a.link.session();
        a.link.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
        await().until(() -> a.link.isConnected() && a.link.session() != session);
        await().until(() -> b.peers.others().equals(List.of(entry("a", "STANDBY", true))));
    }

    @Test
    void a_connection_that_was_called_lost_after_it_had_come_back_does_not_stay_lost() {
        long session = a.link.session();
        // No test can bring Curator itself to this order of events.
        a.link.changed(ConnectionState.LOST);
        a.link.repairSession();
        assertFalse(a.link.isConnected(), "the word that it is back may be on its way");
        a.link.repairSession();
        await().until(() -> a.link.isConnected() && a.link.session() != session && a.link.session() != 0);
        long next = a.link.session();
        a.link.repairSession();
        a.link.repairSession();
        assertEquals(next, a.link.session(), "nothing is amiss any more");
    }

    @Test
    void a_cluster_is_known_to_zookeeper_under_one_id() {
        UUID id = UUID.randomUUID();
        ClusterIdNode.check(a.link, id);
        ClusterIdNode.check(b.link, id);
        WrongClusterException refused =
                assertThrows(WrongClusterException.class, () -> ClusterIdNode.check(b.link, UUID.randomUUID()));
        assertTrue(refused.getMessage().contains(id.toString()));
    }

    @Test
    void a_foreign_entry_that_only_its_creator_may_read_stops_nothing_and_is_named() throws Exception {
        ClusterIdNode.check(a.link, UUID.randomUUID());
        a.peers.start();
        a.peers.announce(entry("a", "MASTER", true));
        CuratorFramework client = b.link.client();
        client.getZookeeperClient().getZooKeeper().addAuthInfo("digest", "x:y".getBytes(StandardCharsets.UTF_8));
        String entry = a.link.path("nodes/private");
        client.create()
                .creatingParentsIfNeeded()
                .withACL(List.of(new ACL(31, new Id("auth", ""))))
                .forPath(entry);
        await().until(() -> EnsembleFolder.of(a.link).nodes().equals(Set.of("a")));
        String named = entry + " is not readable";
        await().until(() -> a.peers.foreignEntries().contains(named));
        try (EnsembleSurvey survey = survey()) {
            assertTrue(survey.connect());
            assertTrue(survey.inhabitants(new KnownMembers()).foreignEntries().contains(named));
        }
        client.delete().forPath(entry);
        await().until(() -> a.peers.foreignEntries().isEmpty());
    }

    @Test
    void ten_thousand_foreign_latch_nodes_with_long_names_cost_nobody_the_connection() throws Exception {
        a.enters();
        a.peers.start();
        for (int first = 0; first < 10_000; first += 500) {
            List<CuratorOp> batch = new ArrayList<>();
            for (int number = first; number < first + 500; number++) {
                String path = a.link.path("latch/" + "x".repeat(150) + number);
                batch.add(b.link.client().transactionOp().create().forPath(path));
            }
            b.link.client().transaction().forOperations(batch);
        }
        // One reading: on a busy machine the next may take too long, and then names nobody.
        Election election = await().until(() -> a.latch.readElection(), Election::held);
        assertEquals(List.of("a"), election.nodes());
        String named = a.link.path("latch") + " has 10001 nodes, which delays or prevents a takeover";
        await().until(() -> a.peers.foreignEntries().contains(named));
        assertEquals("CONNECTED", a.link.state());
        try (EnsembleSurvey survey = survey()) {
            assertTrue(survey.connect());
            assertTrue(survey.inhabitants(new KnownMembers()).foreignEntries().contains(named));
        }
    }

    private EnsembleSurvey survey() {
        return new EnsembleSurvey(
                server.getConnectString(), cluster, SESSION, ZooKeeperAccess.OPEN, SocketFactory.getDefault());
    }

    private void deleteLatchNodeOf(String node) throws Exception {
        for (String child : a.link.client().getChildren().forPath(a.link.path("latch"))) {
            String path = a.link.path("latch") + "/" + child;
            if (new String(a.link.client().getData().forPath(path)).equals(node)) {
                a.link.client().delete().forPath(path);
            }
        }
    }

    private static Peer entry(String node, String role, boolean reached) {
        return new Peer(node, "i-1", role, "http://127.0.0.1:1", "127.0.0.1:2", "1", "", Peer.ReachReport.of(reached));
    }
}
