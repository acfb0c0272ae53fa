package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node does when it loses its epoch, ZooKeeper, its latch node or the database. */
class LeadershipLossTest extends LeadershipFixture {
    @Test
    void a_fenced_master_hands_nothing_back_and_interrupts_what_runs() {
        a.becomesMaster();
        a.leadership.fenced(a.leadership.epoch());
        a.step();
        assertEquals(List.of("stop claiming", "interrupt", "leave the latch"), a.calls);
        assertEquals(Role.STANDBY, a.role());
        assertNull(a.leadership.epoch());
    }

    @Test
    void a_master_notices_by_itself_that_its_epoch_was_superseded() {
        a.becomesMaster();
        anotherNodeOpensAnEpoch();
        a.step();
        assertEquals(List.of("stop claiming", "interrupt", "leave the latch"), a.calls);
        assertEquals("thief", a.owner().node());
    }

    @Test
    void a_late_report_about_an_older_epoch_does_not_demote_a_master() {
        Epoch old = a.becomesMaster().leadership.epoch();
        a.leadership.fenced(old);
        a.step();
        ownerHasNotBeatenFor("1 hour");
        a.becomesMaster();
        a.leadership.fenced(old);
        a.step();
        assertEquals(Role.MASTER, a.role());
        assertNotEquals(old, a.leadership.epoch());
    }

    @Test
    void losing_zookeeper_changes_nothing_for_a_master() {
        Epoch epoch = a.becomesMaster().leadership.epoch();
        a.latch.isCutOff(true);
        for (int i = 0; i < 20; i++) {
            ticker.pass(Duration.ofSeconds(3));
            a.step();
        }
        assertEquals(Role.MASTER, a.role());
        assertEquals(epoch, a.leadership.epoch());
        assertEquals(List.of(), a.calls);
    }

    @Test
    void a_master_whose_latch_node_was_deleted_by_hand_stands_again_and_stays_master() {
        Epoch epoch = a.becomesMaster().leadership.epoch();
        ticker.pass(Duration.ofSeconds(3));
        a.latch.isDeletedByHand();
        a.step();
        a.step();
        assertEquals(List.of("leave the latch", "enter the line"), a.calls);
        assertEquals(List.of("a"), line.names());
        assertEquals(epoch, a.leadership.epoch());
    }

    @Test
    void a_standby_whose_latch_node_was_deleted_by_hand_stands_again() {
        a.becomesMaster();
        b.step();
        b.step();
        ticker.pass(Duration.ofSeconds(3));
        b.latch.isDeletedByHand();
        b.step();
        assertEquals(List.of("a", "b"), line.names());
    }

    @Test
    void a_node_that_handed_over_waits_for_its_new_latch_node_like_any_other() {
        a.becomesMaster();
        ticker.pass(Duration.ofHours(1));
        a.latch.isMadeSlowly();
        a.leadership.resign("why");
        a.step();
        a.calls.clear();
        a.step();
        a.step();
        assertEquals(List.of("drained"), a.calls, "it has just entered");
    }

    @Test
    void a_fenced_node_enters_the_election_again_at_once() {
        a.becomesMaster();
        anotherNodeOpensAnEpoch();
        a.step();
        ownerHasNotBeatenFor("1 hour");
        a.step();
        assertEquals(List.of("a"), line.names());
    }

    @Test
    void a_latch_node_that_is_still_being_made_is_not_taken_for_lost() {
        a.step();
        a.latch.isDeletedByHand();
        ticker.pass(Duration.ofMillis(1999));
        a.step();
        assertEquals(List.of("leave the latch", "enter the line"), a.calls);
        ticker.pass(Duration.ofMillis(1));
        a.step();
        assertEquals(List.of("leave the latch", "enter the line", "leave the latch", "enter the line"), a.calls);
    }

    @Test
    void a_master_that_alone_lost_the_database_resigns_after_a_second() {
        a.becomesMaster();
        a.reachesDatabase = false;
        a.step();
        ticker.pass(Duration.ofMillis(999));
        a.step();
        assertEquals(Role.MASTER, a.role());
        ticker.pass(Duration.ofMillis(1));
        a.step();
        assertEquals(List.of("leave the latch", "stop claiming", "hand back", "enter the line"), a.calls);
        assertEquals(
                "lost the database, but the other node reaches it",
                a.roles.last().reason());
    }

    @Test
    void a_master_whose_step_was_late_resigns_at_once_if_the_second_is_over() {
        a.becomesMaster();
        a.reachesDatabase = false;
        a.leadership.peerReach().reachChanged(false);
        a.hearsTheOther();
        ticker.pass(Duration.ofSeconds(1));
        a.step();
        assertEquals(Role.DEMOTING, a.role());
    }

    @Test
    void a_second_in_which_the_other_node_was_cut_off_too_does_not_count() {
        a.becomesMaster();
        a.reachesDatabase = false;
        a.leadership.peerReach().reachChanged(false);
        a.hearsTheOther();
        a.otherReachesDatabase = false;
        a.step();
        a.otherReachesDatabase = true;
        ticker.pass(Duration.ofSeconds(1));
        a.step();
        assertEquals(Role.MASTER, a.role());
    }

    @Test
    void a_master_that_lost_the_database_together_with_the_other_keeps_role_and_epoch() {
        Epoch epoch = a.becomesMaster().leadership.epoch();
        a.reachesDatabase = false;
        a.otherReachesDatabase = false;
        for (int i = 0; i < 20; i++) {
            ticker.pass(Duration.ofSeconds(3));
            a.step();
        }
        a.reachesDatabase = true;
        a.step();
        assertEquals(Role.MASTER, a.role());
        assertEquals(epoch, a.leadership.epoch());
        assertEquals(List.of(), a.calls);
    }

    @Test
    void the_second_starts_again_if_the_other_node_lost_the_database_meanwhile() {
        a.becomesMaster();
        a.reachesDatabase = false;
        a.step();
        ticker.pass(Duration.ofMillis(900));
        a.otherReachesDatabase = false;
        a.step();
        a.otherReachesDatabase = true;
        a.step();
        ticker.pass(Duration.ofMillis(900));
        a.step();
        assertEquals(Role.MASTER, a.role());
    }

    @Test
    void a_candidate_that_lost_the_database_leaves_the_latch_to_the_other() {
        a.becomesMaster();
        b.step();
        a.latch.leave();
        b.reachesDatabase = false;
        b.step();
        ticker.pass(Duration.ofSeconds(1));
        b.step();
        assertEquals(List.of(), line.names());
    }

    @Test
    void after_an_outage_of_zookeeper_a_standby_lets_the_living_owner_stand_first() {
        a.becomesMaster();
        b.step();
        a.latch.isDeletedByHand();
        b.latch.leave();
        b.step();
        assertEquals(List.of(), line.names(), "the owner beats and does not stand yet");
        ticker.pass(Duration.ofSeconds(3));
        a.step();
        b.step();
        assertEquals(List.of("a", "b"), line.names());
        assertEquals(Role.MASTER, a.role());
    }

    @Test
    void a_standby_waits_for_the_owner_to_stand_for_five_seconds_at_most() {
        a.becomesMaster();
        b.step();
        a.latch.isDeletedByHand();
        b.latch.leave();
        b.step();
        ticker.pass(Duration.ofMillis(4999));
        b.step();
        assertEquals(List.of(), line.names());
        ticker.pass(Duration.ofMillis(1));
        b.step();
        assertEquals(List.of("b"), line.names());
    }

    @Test
    void a_promotion_that_fails_after_its_epoch_is_retried_under_that_epoch() {
        a.step();
        a.takingFails = true;
        assertThrows(DatabaseUnavailableException.class, a::step);
        long opened = a.owner().epoch();
        assertThrows(DatabaseUnavailableException.class, a::step);
        a.takingFails = false;
        a.step();
        assertEquals(Role.MASTER, a.role());
        assertEquals(opened, a.leadership.epoch().number());
        assertEquals(1, a.calls.stream().filter("open"::equals).count());
    }

    @Test
    void a_promotion_superseded_after_its_epoch_is_given_up() {
        a.step();
        a.takingFails = true;
        assertThrows(DatabaseUnavailableException.class, a::step);
        anotherNodeOpensAnEpoch();
        a.step();
        assertEquals(Role.STANDBY, a.role());
        assertNull(a.leadership.epoch());
        assertTrue(a.calls.contains("stop claiming"));
    }

    @Test
    void a_candidate_that_lost_the_database_after_its_epoch_leaves_the_role_to_the_other() {
        a.step();
        a.takingFails = true;
        assertThrows(DatabaseUnavailableException.class, a::step);
        a.reachesDatabase = false;
        assertThrows(DatabaseUnavailableException.class, a::step);
        ticker.pass(Duration.ofSeconds(1));
        a.step();
        assertEquals(Role.STANDBY, a.role());
        assertNull(a.leadership.epoch());
        assertTrue(a.calls.contains("stop claiming"));
        assertEquals(List.of(), line.names(), "the other may have the latch now");
        ownerHasNotBeatenFor("4 seconds");
        b.becomesMaster();
        assertEquals("b", b.owner().node());
    }

    @Test
    void a_promotion_goes_on_while_no_node_reaches_the_database() {
        a.step();
        a.takingFails = true;
        assertThrows(DatabaseUnavailableException.class, a::step);
        a.reachesDatabase = false;
        a.otherReachesDatabase = false;
        ticker.pass(Duration.ofSeconds(5));
        assertThrows(DatabaseUnavailableException.class, a::step);
        assertEquals(Role.PROMOTING, a.role());
        assertEquals(List.of("a"), line.names());
    }
}
