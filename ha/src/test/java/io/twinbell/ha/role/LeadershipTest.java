package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.testing.TestSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a node becomes master: it enters the election, asks the owner to hand over, and opens an epoch. */
class LeadershipTest extends LeadershipFixture {
    @Test
    void after_both_nodes_have_died_a_standby_that_returns_removes_its_old_place_and_leaves_that_of_the_owner() {
        a.becomesMaster();
        b.step();
        try (TestNode newA = new TestNode(TestSettings.of(DATABASE, "a"), line, ticker);
                TestNode newB = new TestNode(TestSettings.of(DATABASE, "b"), line, ticker)) {
            newA.step();
            assertEquals(List.of("a", "b", "a"), line.names(), "fast takeover ends the session of an owner");
            newB.step();
            assertEquals(List.of("a", "a", "b"), line.names());
        }
    }

    @Test
    void a_node_that_has_stood_before_removes_nothing_when_it_enters_again() {
        a.becomesMaster();
        b.step();
        b.step();
        b.latch.isDeletedByHand();
        try (TestNode other = new TestNode(TestSettings.of(DATABASE, "b"), line, ticker)) {
            other.latch.enter();
            ticker.pass(Duration.ofSeconds(3));
            b.step();
            assertEquals(List.of("a", "b", "b"), line.names());
        }
    }

    @Test
    void the_first_node_enters_opens_the_first_epoch_and_fires() {
        a.step();
        assertEquals(List.of("a"), line.names());
        a.step();
        assertEquals(Role.MASTER, a.role());
        assertEquals(List.of("leave the latch", "enter the line", "open", "take, predecessor over"), a.calls);
        assertEquals("a", a.owner().node());
        assertEquals(100, a.leadership.epoch().number(), "the creation id of its latch node");
    }

    @Test
    void a_second_node_stands_in_line_and_changes_nothing() {
        a.becomesMaster();
        b.step();
        b.step();
        assertEquals(Role.STANDBY, b.role());
        assertEquals(List.of("a", "b"), line.names());
        assertEquals("a", b.owner().node());
        assertEquals("a", b.leadership.lastSeenOwner().node());
    }

    @Test
    void the_owners_heartbeat_grows_older_while_a_standby_reads_nothing() {
        assertEquals(-1, b.leadership.ownerHeartbeatAgeMillis(), "it has read nothing yet");
        a.becomesMaster();
        b.step();
        b.step();
        long read = b.leadership.lastSeenOwner().heartbeatAgeMillis();
        b.reachesDatabase = false;
        ticker.pass(Duration.ofSeconds(105));
        b.step();
        assertEquals(read + 105_000, b.leadership.ownerHeartbeatAgeMillis());
    }

    @Test
    void a_standby_that_zookeeper_did_not_answer_in_time_looks_again_soon() {
        a.becomesMaster();
        b.step();
        b.step();
        b.latch.isCutOff(true);
        assertEquals(Leadership.RECHECK, b.step(), "nothing tells it when ZooKeeper answers again");
        b.latch.isCutOff(false);
        assertEquals(Leadership.CHANGE_MASTER_CHECK, b.step());
    }

    @Test
    void a_latch_holder_asks_a_living_owner_to_hand_over_and_is_master_when_it_has() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        b.step();
        assertEquals(Role.PROMOTING, b.role());
        assertEquals(List.of(), b.calls, "it may be about to say so itself");
        b.step();
        assertEquals(List.of("ask"), b.calls);
        a.step();
        assertEquals(Role.DEMOTING, a.role());
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(List.of("ask", "open", "take, predecessor over"), b.calls);
        assertEquals("a handed over", b.history.latest(1).get(0).reason());
    }

    @Test
    void an_owner_that_hands_over_by_itself_is_not_asked() {
        a.becomesMaster();
        b.step();
        bTakesTheLatchFromA();
        assertEquals(Leadership.NEXT_STEP, b.step());
        a.leadership.resign("switchover");
        a.step();
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(List.of("open", "take, predecessor over"), b.calls);
    }

    @Test
    void an_owner_that_does_not_hand_over_is_superseded_after_a_second() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        b.step();
        b.step();
        ticker.pass(Duration.ofMillis(999));
        b.step();
        assertEquals(List.of("ask"), b.calls, "asked once, and not yet a second ago");
        ticker.pass(Duration.ofMillis(1));
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(List.of("ask", "open", "take, predecessor unknown"), b.calls);
    }

    @Test
    void an_owner_that_could_not_be_asked_is_asked_again_and_gets_its_second() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        b.step();
        b.askingFails = true;
        assertThrows(DatabaseUnavailableException.class, b::step);
        ticker.pass(Duration.ofSeconds(2));
        b.askingFails = false;
        b.step();
        assertEquals(List.of("ask", "ask"), b.calls);
        a.step();
        assertEquals(Role.DEMOTING, a.role(), "the owner has heard it");
    }

    @Test
    void an_owner_that_has_not_beaten_for_four_seconds_is_not_asked() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        ownerHasNotBeatenFor("4 seconds");
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(List.of("open", "take, predecessor unknown"), b.calls);
        assertEquals("a does not answer", b.history.latest(1).get(0).reason());
    }

    @Test
    void an_owner_proven_dead_is_not_asked_and_the_instant_of_its_death_is_passed_on() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        b.leadership.ownerIsGone(ownerLoss(true));
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(List.of("open", "take, predecessor dead since 4711"), b.calls);
        RoleChange change = b.history.latest(1).get(0);
        assertEquals("a is dead", change.reason());
        assertEquals(70, change.tookMillis(), "from the moment that the lock fell free");
        assertTrue(change.steps().contains("{\"step\": \"detect\", \"micros\": 20000}"), change.steps());
        assertTrue(change.steps().contains("{\"step\": \"latch\", \"micros\": 50000}"), change.steps());
    }

    @Test
    void an_owner_that_is_lost_is_not_asked_but_what_it_claimed_is_not_over() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        b.leadership.ownerIsGone(ownerLoss(false));
        b.step();
        assertEquals(List.of("open", "take, predecessor unknown"), b.calls);
        assertEquals(
                "a is lost: it neither answers nor uses the database",
                b.history.latest(1).get(0).reason());
    }

    @Test
    void a_dead_owner_does_not_make_a_node_without_the_latch_master() {
        a.becomesMaster();
        b.step();
        b.leadership.ownerIsGone(ownerLoss(true));
        b.step();
        assertEquals(Role.STANDBY, b.role());
    }

    @Test
    void a_finding_about_another_epoch_is_ignored() {
        a.becomesMaster();
        b.leadership.ownerIsGone(new OwnerLoss(b.owner().epoch() - 1, true, 1, 0, 0));
        bTakesTheLatchFromA();
        b.step();
        b.step();
        assertEquals(List.of("ask"), b.calls);
    }

    @Test
    void a_withdrawn_finding_is_ignored() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        b.leadership.ownerIsGone(ownerLoss(true));
        b.leadership.ownerIsGone(null);
        b.step();
        b.step();
        assertEquals(List.of("ask"), b.calls);
    }

    /** A loss of the owner: the lock became free 70 ms ago, and the reason was clear 20 ms later. */
    private OwnerLoss ownerLoss(boolean isProven) {
        long noticed = ticker.nanos();
        ticker.pass(Duration.ofMillis(70));
        return new OwnerLoss(b.owner().epoch(), isProven, 4711, noticed, noticed + 20_000_000);
    }

    @Test
    void a_latch_that_is_lost_while_the_owner_is_asked_ends_the_promotion() {
        a.becomesMaster();
        bTakesTheLatchFromA();
        b.step();
        b.step();
        b.latch.isCutOff(true);
        ticker.pass(Duration.ofSeconds(5));
        b.step();
        assertEquals(Role.STANDBY, b.role());
        b.latch.isCutOff(false);
        b.step();
        b.step();
        assertEquals(List.of("ask", "leave the latch"), b.calls, "ZooKeeper was away, and the owner lives");
    }

    @Test
    void only_one_of_two_nodes_that_believe_in_the_latch_is_master() {
        a.step();
        b.step();
        b.latch.believesToHold();
        a.becomesMaster();
        ownerHasNotBeatenFor("1 hour");
        long before = a.leadership.epoch().number();
        b.step();
        assertEquals(Role.MASTER, b.role());
        a.step();
        assertEquals(Role.STANDBY, a.role(), "fenced by the other's epoch");
        assertTrue(b.leadership.epoch().number() > before);
        assertEquals(Role.MASTER, b.role());
        assertTrue(b.beat());
    }

    @Test
    void a_node_whose_epoch_another_opened_first_stays_standby() {
        a.step();
        a.beforeOpening = this::anotherNodeOpensAnEpoch;
        a.step();
        assertEquals(Role.STANDBY, a.role());
        assertNull(a.leadership.epoch());
        assertEquals("thief", a.owner().node());
        assertFalse(a.calls.contains("take, predecessor over"), "and never fired");
    }

    @Test
    void an_epoch_of_this_very_process_is_not_asked_to_hand_over() {
        a.becomesMaster();
        a.leadership.fenced(a.leadership.epoch());
        a.step();
        a.becomesMaster();
        assertEquals("a", a.owner().node());
        assertEquals(101, a.leadership.epoch().number());
    }

    @Test
    void every_step_of_a_promotion_is_in_the_history_with_its_duration() {
        a.becomesMaster();
        String steps = a.history.latest(1).get(0).steps();
        for (String step : List.of("hand-over", "fence", "rebuild")) {
            assertTrue(
                    steps.contains("\"step\": \"" + step + "\"") || steps.contains("\"step\":\"" + step + "\""), steps);
        }
    }

    private void bTakesTheLatchFromA() {
        b.step();
        a.latch.isDeletedByHand();
        b.calls.clear();
    }
}
