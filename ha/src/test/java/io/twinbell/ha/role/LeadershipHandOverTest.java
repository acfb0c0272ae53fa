package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a master gives up its role: it resigns, hands back, drains and stops. */
class LeadershipHandOverTest extends LeadershipFixture {
    @Test
    void resigning_leaves_the_latch_stops_claiming_hands_back_resigns_and_only_then_drains() {
        a.becomesMaster();
        a.isFinished = false;
        a.leadership.resign("asked by an operator");
        a.step();
        assertEquals(
                List.of(
                        "leave the latch",
                        "stop claiming",
                        "hand back, but keep PT0.02S",
                        "resign with PT31.5S",
                        "enter the line"),
                a.calls);
        assertEquals(Role.DEMOTING, a.role());
        assertTrue(a.owner().resigned());
        assertTrue(a.owner().drainingUntilMillis() > 0);
        assertNull(a.leadership.epoch());
    }

    @Test
    void a_failed_hand_back_does_not_prevent_the_resignation() {
        a.becomesMaster();
        a.isFinished = false;
        a.handingBackFails = true;
        a.leadership.resign("why");
        a.step();
        assertTrue(a.owner().resigned(), "or what still runs could not be recorded any more");
        assertTrue(a.owner().drainingUntilMillis() > 0);
    }

    @Test
    void a_drain_ends_when_the_last_handler_has() {
        a.becomesMaster();
        b.step();
        a.isFinished = false;
        a.leadership.resign("why");
        a.step();
        a.calls.clear();
        a.step();
        assertEquals(List.of(), a.calls, "a handler still runs");
        a.isFinished = true;
        a.step();
        assertEquals(List.of("drained"), a.calls);
        assertEquals(Role.STANDBY, a.role());
        assertEquals("drained", a.roles.last().reason());
    }

    @Test
    void a_drain_that_takes_too_long_ends_with_an_interrupt_at_its_time() {
        a.becomesMaster();
        b.step();
        a.isFinished = false;
        a.leadership.resign("why");
        a.step();
        a.calls.clear();
        ticker.pass(TestNode.DRAIN.minusMillis(1));
        a.step();
        assertEquals(List.of("hand back"), a.calls);
        a.calls.clear();
        ticker.pass(Duration.ofMillis(1));
        a.step();
        assertEquals(List.of("interrupt"), a.calls);
        ticker.pass(Duration.ofMillis(500));
        a.step();
        assertEquals(List.of("interrupt", "drained"), a.calls, "the outcomes of the interrupted had half a second");
        assertEquals(Role.STANDBY, a.role());
    }

    @Test
    void a_node_that_holds_the_latch_again_while_it_drains_is_master_again_and_its_handlers_go_on() {
        a.becomesMaster();
        a.isFinished = false;
        a.leadership.resign("why");
        a.step();
        a.calls.clear();
        for (int i = 0; i < 5 && a.role() != Role.MASTER; i++) {
            a.step();
        }
        assertEquals(
                List.of("hand back", "open", "take, predecessor over"),
                a.calls,
                "nothing was interrupted, and nothing more starts under the old epoch");
        assertEquals(Role.MASTER, a.role());
        ticker.pass(TestNode.DRAIN);
        a.step();
        assertEquals(
                List.of("hand back", "open", "take, predecessor over", "interrupt"), a.calls, "their time is the same");
    }

    @Test
    void a_node_that_gives_the_role_up_again_within_a_drain_finishes_both_epochs_each_in_its_time() {
        long older = gaveTheRoleUpTwiceWithinADrain();
        assertEquals(List.of(), a.interrupted, "the older one's time is not over");
        ticker.pass(TestNode.DRAIN.dividedBy(2));
        a.step();
        assertEquals(List.of(older), a.interrupted);
        ticker.pass(Duration.ofMillis(500));
        a.step();
        assertEquals(List.of(older), a.drained);
        assertEquals(Role.DEMOTING, a.role());
        a.finished.add(older + 1);
        a.step();
        assertEquals(List.of(older, older + 1), a.drained);
        assertEquals(Role.STANDBY, a.role());
        assertEquals("drained", a.roles.last().reason());
    }

    @Test
    void an_older_drain_goes_on_beside_the_next_role_and_the_history_tells_of_the_demotion_alone() {
        long older = gaveTheRoleUpTwiceWithinADrain();
        a.finished.add(older + 1);
        a.step();
        assertEquals(Role.STANDBY, a.role());
        assertEquals("drained", a.roles.last().reason());
        assertEquals(older + 1, a.history.latest(1).get(0).epoch());
        assertEquals(List.of(older + 1), a.drained);
        ticker.pass(TestNode.DRAIN);
        a.step();
        assertEquals(List.of(older), a.interrupted);
        a.finished.add(older);
        a.step();
        assertEquals(List.of(older + 1, older), a.drained);
    }

    /**
     * Gives up the role twice within a drain. The other node has the latch then. Returns the first of the two epochs.
     */
    private long gaveTheRoleUpTwiceWithinADrain() {
        a.becomesMaster();
        a.isFinished = false;
        a.leadership.resign("why");
        a.step();
        for (int i = 0; i < 5 && a.role() != Role.MASTER; i++) {
            a.step();
        }
        b.step();
        ticker.pass(TestNode.DRAIN.dividedBy(2));
        a.leadership.resign("again");
        a.step();
        assertEquals(Role.DEMOTING, a.role());
        return a.owner().epoch() - 1;
    }

    @Test
    void a_drain_ends_as_soon_as_what_was_interrupted_has_its_outcome() {
        a.becomesMaster();
        b.step();
        a.isFinished = false;
        a.leadership.resign("why");
        a.step();
        ticker.pass(TestNode.DRAIN);
        a.step();
        a.isFinished = true;
        a.step();
        assertEquals(Role.STANDBY, a.role());
        assertEquals("interrupted running handlers", a.roles.last().reason());
    }

    @Test
    void a_drain_that_is_hurried_ends_at_once() {
        a.becomesMaster();
        a.isFinished = false;
        a.leadership.retire();
        a.step();
        a.leadership.endDrainNow();
        a.calls.clear();
        a.step();
        assertEquals(List.of("hand back", "interrupt"), a.calls, "nothing that was kept is lost");
        a.isFinished = true;
        a.step();
        assertEquals(List.of("hand back", "interrupt", "drained"), a.calls);
    }

    @Test
    void what_was_kept_and_has_not_started_in_its_time_is_handed_back_once() {
        a.becomesMaster();
        b.step();
        a.isFinished = false;
        a.leadership.resign("why");
        a.step();
        a.calls.clear();
        ticker.pass(Mastership.KEPT.minusMillis(1));
        a.step();
        assertEquals(List.of(), a.calls);
        ticker.pass(Duration.ofMillis(1));
        a.step();
        a.step();
        assertEquals(List.of("hand back"), a.calls);
    }

    @Test
    void a_master_that_has_lost_the_database_keeps_nothing() {
        a.becomesMaster();
        b.step();
        a.isFinished = false;
        a.reachesDatabase = false;
        a.leadership.resign("why");
        a.step();
        assertTrue(a.calls.contains("hand back"), a.calls.toString());
    }

    @Test
    void the_successor_is_master_while_its_predecessor_still_drains() {
        a.becomesMaster();
        b.step();
        a.isFinished = false;
        a.leadership.retire();
        a.step();
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(Role.DEMOTING, a.role());
        assertTrue(b.calls.contains("take, predecessor over"));
    }

    @Test
    void a_retiring_master_hands_over_drains_and_is_stopped_without_standing_again() {
        a.becomesMaster();
        a.leadership.retire();
        a.step();
        a.step();
        a.step();
        assertEquals(Role.STOPPED, a.role());
        assertEquals(List.of(), line.names());
        assertEquals(
                List.of(
                        "leave the latch",
                        "stop claiming",
                        "hand back, but keep PT0.02S",
                        "resign with PT31.5S",
                        "drained",
                        "leave the latch"),
                a.calls);
    }

    @Test
    void a_retiring_standby_leaves_the_line() {
        a.becomesMaster();
        b.step();
        b.leadership.retire();
        b.step();
        assertEquals(Role.STOPPED, b.role());
        assertEquals(List.of("a"), line.names());
    }

    @Test
    void a_resignation_that_came_before_the_role_did_is_void() {
        a.leadership.resign("too early");
        a.becomesMaster();
        a.step();
        assertEquals(Role.MASTER, a.role());
    }

    @Test
    void the_history_of_a_stopped_master_ends_with_its_stop() {
        a.becomesMaster();
        a.leadership.retire();
        for (int i = 0; i < 4; i++) {
            a.step();
        }
        assertEquals(Role.STOPPED, a.role());
        assertEquals("stopped", a.history.latest(1).get(0).reason());
        assertEquals(1, a.history.promotions(2).size());
    }
}
