package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Two nodes that read each other's entry. */
class PeerReachTest {
    private final HandTicker ticker = new HandTicker();
    private final Map<String, Peer> entries = new TreeMap<>();
    private final Node a = new Node("a");
    private final Node b = new Node("b");

    private final class Node implements Peers {
        final String name;
        final PeerReach reach;
        boolean reachesDatabase = true;
        boolean reachesZooKeeper = true;

        Node(String name) {
            this.name = name;
            reach = new PeerReach(UUID.randomUUID(), this, () -> reachesDatabase, () -> reachesZooKeeper, ticker);
        }

        void database(boolean reached) {
            reachesDatabase = reached;
            reach.reachChanged(reached);
            announces();
        }

        void zooKeeper(boolean reached) {
            reachesZooKeeper = reached;
            if (reach.zooKeeperChanged()) {
                announces();
            }
        }

        void announces() {
            announce(new Peer(name, "", "", "", "", "", "", reach.word()));
        }

        /** A live node that reaches ZooKeeper reads the other's entry. */
        void reads() {
            reach.listen();
            if (reach.owesAnswer()) {
                announces();
            }
        }

        boolean isConvinced() {
            reach.readPeers();
            return reach.othersReach();
        }

        @Override
        public void announce(Peer self) {
            entries.put(name, self);
        }

        @Override
        public List<Peer> others() {
            return entries.values().stream()
                    .filter(peer -> !peer.node().equals(name))
                    .toList();
        }
    }

    private void bothAnnounce() {
        a.announces();
        b.announces();
    }

    @Test
    void a_node_without_the_database_is_sure_one_second_after_the_other_answered() {
        bothAnnounce();
        a.database(false);
        b.reads();
        a.reads();
        ticker.pass(Duration.ofMillis(999));
        assertFalse(a.isConvinced());
        ticker.pass(Duration.ofMillis(1));
        assertTrue(a.isConvinced());
    }

    @Test
    void a_statement_of_a_node_that_has_gone_does_not_count_while_its_entry_stays() {
        bothAnnounce();
        a.database(false);
        for (int second = 0; second < 20; second++) {
            ticker.pass(Duration.ofSeconds(1));
            assertFalse(a.isConvinced());
        }
    }

    @Test
    void an_answer_about_one_loss_of_the_database_says_nothing_about_the_next() {
        bothAnnounce();
        a.database(false);
        b.reads();
        a.reads();
        a.database(true);
        a.database(false);
        a.reads();
        ticker.pass(Duration.ofSeconds(5));
        assertFalse(a.isConvinced());
        b.reads();
        a.reads();
        ticker.pass(Duration.ofSeconds(1));
        assertTrue(a.isConvinced());
    }

    @Test
    void an_answer_may_be_that_the_other_has_lost_the_database_too() {
        bothAnnounce();
        a.database(false);
        b.database(false);
        b.reads();
        a.reads();
        ticker.pass(Duration.ofSeconds(5));
        assertFalse(a.isConvinced());
    }

    @Test
    void an_answer_counts_only_while_zookeeper_is_there_to_change_it() {
        bothAnnounce();
        a.database(false);
        b.reads();
        a.reads();
        a.reachesZooKeeper = false;
        ticker.pass(Duration.ofSeconds(5));
        assertFalse(a.isConvinced());
    }

    @Test
    void an_answer_from_before_a_zookeeper_outage_is_asked_for_again() {
        bothAnnounce();
        a.database(false);
        b.reads();
        a.reads();
        a.zooKeeper(false);
        a.zooKeeper(true);
        ticker.pass(Duration.ofSeconds(5));
        assertFalse(a.isConvinced(), "the other may have gone meanwhile");
        b.reads();
        a.reads();
        ticker.pass(Duration.ofSeconds(1));
        assertTrue(a.isConvinced());
    }

    @Test
    void a_node_that_reaches_the_database_asks_nothing_when_zookeeper_returns() {
        bothAnnounce();
        assertFalse(a.reach.zooKeeperChanged());
        a.zooKeeper(false);
        a.zooKeeper(true);
        assertFalse(b.reach.owesAnswer());
    }

    @Test
    void a_question_is_answered_once() {
        bothAnnounce();
        assertFalse(b.reach.owesAnswer(), "nobody has asked");
        a.database(false);
        assertTrue(b.reach.owesAnswer());
        b.reads();
        assertFalse(b.reach.owesAnswer());
        a.database(true);
        assertFalse(b.reach.owesAnswer());
        assertEquals("", entries.get("a").database().asks());
    }

    @Test
    void a_node_that_has_not_reached_the_database_since_its_start_may_ask_too() {
        a.reachesDatabase = false;
        bothAnnounce();
        b.reads();
        a.reads();
        ticker.pass(Duration.ofSeconds(1));
        assertTrue(a.isConvinced());
    }
}
