package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The ways into and out of the master's role, one step at a time, on a real epoch register. */
class LeadershipTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private final HandTicker ticker = new HandTicker();
    private final Line line = new Line();
    private final TestNode a = new TestNode(TestSettings.of(DATABASE, "a"), line, ticker);
    private final TestNode b = new TestNode(TestSettings.of(DATABASE, "b"), line, ticker);

    @BeforeEach
    void forgetEveryEpoch() {
        TestPostgres.execute(
                DATABASE,
                "delete from twinbell.epoch; insert into twinbell.epoch default values;"
                        + " update twinbell.heartbeat set epoch = 0, beat_at = '-infinity';"
                        + " truncate twinbell.hand_over_request, twinbell.role_history");
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
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
        bHoldsTheLatchInsteadOfA();
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
        bHoldsTheLatchInsteadOfA();
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
        bHoldsTheLatchInsteadOfA();
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
        bHoldsTheLatchInsteadOfA();
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
        bHoldsTheLatchInsteadOfA();
        ownerHasNotBeatenFor("4 seconds");
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(List.of("open", "take, predecessor unknown"), b.calls);
        assertEquals("a does not answer", b.history.latest(1).get(0).reason());
    }

    @Test
    void an_owner_proven_dead_is_not_asked_and_the_instant_of_its_death_is_passed_on() {
        a.becomesMaster();
        bHoldsTheLatchInsteadOfA();
        b.leadership.ownerIsGone(demise(true));
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
        bHoldsTheLatchInsteadOfA();
        b.leadership.ownerIsGone(demise(false));
        b.step();
        assertEquals(List.of("open", "take, predecessor unknown"), b.calls);
        assertEquals(
                "a is lost: it neither answers nor uses the database",
                b.history.latest(1).get(0).reason());
    }

    @Test
    void that_the_owner_is_gone_gives_nobody_the_latch() {
        a.becomesMaster();
        b.step();
        b.leadership.ownerIsGone(demise(true));
        b.step();
        assertEquals(Role.STANDBY, b.role());
    }

    @Test
    void what_was_found_out_about_another_epoch_says_nothing() {
        a.becomesMaster();
        b.leadership.ownerIsGone(new OwnerLoss(b.owner().epoch() - 1, true, 1, 0, 0));
        bHoldsTheLatchInsteadOfA();
        b.step();
        b.step();
        assertEquals(List.of("ask"), b.calls);
    }

    @Test
    void what_is_taken_back_says_nothing() {
        a.becomesMaster();
        bHoldsTheLatchInsteadOfA();
        b.leadership.ownerIsGone(demise(true));
        b.leadership.ownerIsGone(null);
        b.step();
        b.step();
        assertEquals(List.of("ask"), b.calls);
    }

    /** The lock fell free 70 ms ago, and after 20 ms it was clear why. */
    private OwnerLoss demise(boolean isProven) {
        long noticed = ticker.nanos();
        ticker.pass(Duration.ofMillis(70));
        return new OwnerLoss(b.owner().epoch(), isProven, 4711, noticed, noticed + 20_000_000);
    }

    @Test
    void a_latch_that_is_lost_while_the_owner_is_asked_ends_the_promotion() {
        a.becomesMaster();
        bHoldsTheLatchInsteadOfA();
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
    void of_two_that_take_themselves_for_the_holder_one_changes_nothing() {
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
    void whoever_finds_that_another_opened_an_epoch_first_stands_back() {
        a.step();
        a.beforeOpening = this::anotherNodeOpensAnEpoch;
        a.step();
        assertEquals(Role.STANDBY, a.role());
        assertNull(a.leadership.epoch());
        assertEquals("thief", a.owner().node());
        assertFalse(a.calls.contains("take, predecessor over"), "and never fired");
    }

    @Test
    void resigning_leaves_the_latch_stops_claiming_hands_back_resigns_and_only_then_drains() {
        a.becomesMaster();
        a.isFinished = false;
        a.leadership.resign("asked by an operator");
        a.step();
        assertEquals(
                List.of("leave the latch", "stop claiming", "hand back", "resign with PT31.5S", "enter the line"),
                a.calls);
        assertEquals(Role.DEMOTING, a.role());
        assertTrue(a.owner().resigned());
        assertTrue(a.owner().drainingUntilMillis() > 0);
        assertNull(a.leadership.epoch());
    }

    @Test
    void a_hand_back_that_fails_does_not_keep_the_resignation_from_being_said() {
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
        assertEquals(List.of(), a.calls);
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
        assertEquals(List.of("open", "take, predecessor over"), a.calls, "nothing was interrupted");
        assertEquals(Role.MASTER, a.role());
        ticker.pass(TestNode.DRAIN);
        a.step();
        assertEquals(List.of("open", "take, predecessor over", "interrupt"), a.calls, "their time is the same");
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

    /** The other has the latch then; returns the first of the two epochs. */
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
        assertEquals(List.of("interrupt"), a.calls);
        a.isFinished = true;
        a.step();
        assertEquals(List.of("interrupt", "drained"), a.calls);
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
                        "hand back",
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
    void a_late_word_about_an_older_epoch_does_not_unseat_a_master() {
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
    void a_fenced_node_stands_again_at_once_however_lately_it_had_entered() {
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
    void a_master_whose_step_was_kept_resigns_at_once_when_the_second_is_over_by_then() {
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
    void the_other_nodes_second_begins_anew_when_it_lost_the_database_in_between() {
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
    void an_office_that_cannot_be_taken_is_tried_again_under_the_same_epoch() {
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
    void an_office_that_was_superseded_before_it_was_taken_is_given_up() {
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
    void an_office_whose_node_lost_the_database_before_it_was_taken_is_left_to_the_other() {
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
    void an_office_is_kept_in_an_outage_for_all() {
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

    @Test
    void whoever_is_to_end_leaves_nothing_untold() {
        a.becomesMaster();
        a.leadership.retire();
        for (int i = 0; i < 4; i++) {
            a.step();
        }
        assertEquals(Role.STOPPED, a.role());
        assertEquals("stopped", a.history.latest(1).get(0).reason());
        assertEquals(1, a.history.promotions(2).size());
    }

    private void bHoldsTheLatchInsteadOfA() {
        b.step();
        a.latch.isDeletedByHand();
        b.calls.clear();
    }

    private void anotherNodeOpensAnEpoch() {
        DatabaseSettings thief = TestSettings.of(DATABASE, "thief");
        try (DedicatedConnection connection = new DedicatedConnection(thief, "epoch", 5)) {
            EpochRegister register = new JdbcEpochRegister(thief, connection);
            long current = register.read().epoch();
            register.open(current, new Claimant("thief", thief.incarnation(), 1, 0), "stolen");
        }
    }

    private void ownerHasNotBeatenFor(String interval) {
        TestPostgres.execute(
                DATABASE, "update twinbell.heartbeat set beat_at = clock_timestamp() - interval '" + interval + "'");
        TestPostgres.execute(
                DATABASE, "update twinbell.epoch set opened_at = clock_timestamp() - interval '" + interval + "'");
    }
}
