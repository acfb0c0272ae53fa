package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.InstructionRegister;
import io.twinbell.persistence.epoch.MoveRequest;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What people may decide about the role, one step at a time, on a real epoch register. */
class HoldTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final HandTicker ticker = new HandTicker();
    private final Line line = new Line();
    private final TestNode a = new TestNode(TestSettings.of(database, "a"), line, ticker);
    private final TestNode b = new TestNode(TestSettings.of(database, "b"), line, ticker);
    private final DedicatedConnection connection =
            new DedicatedConnection(TestSettings.of(database, "b"), "cluster", 5);
    private final InstructionRegister instructions = new InstructionRegister(connection);

    @AfterEach
    void close() {
        a.close();
        b.close();
        connection.close();
    }

    private void hold() {
        instructions.hold("kernel update", "bob", OptionalLong.empty());
    }

    /** Node a dies: its latch node disappears, and its heartbeat stops. */
    private void aDies() {
        a.latch.leave();
        TestPostgres.execute(
                database,
                "update twinbell.heartbeat set beat_at = '2026-01-01';"
                        + " update twinbell.epoch set opened_at = '2026-01-01'");
    }

    private void aIsMasterAndBStandsBy() {
        a.becomesMaster();
        b.step();
        b.step();
        ticker.pass(Duration.ofSeconds(2));
        a.step();
        b.step();
        b.calls.clear();
    }

    private RoleChange lastChange() {
        return b.history.latest(1).get(0);
    }

    @Test
    void while_takeovers_are_on_hold_a_standby_that_has_the_latch_opens_nothing_and_says_why() {
        aIsMasterAndBStandsBy();
        hold();
        aDies();
        for (int i = 0; i < 20; i++) {
            assertEquals(Leadership.HOLD_CHECK, b.step());
        }
        assertEquals(List.of(), b.calls);
        assertEquals(Role.STANDBY, b.role());
        assertEquals(List.of("b"), line.names());
        assertEquals(
                Optional.of("master a is gone, and node b does not take over:"
                        + " automatic takeover is on hold by bob (kernel update)"),
                b.leadership.heldBack());
    }

    @Test
    void released_it_takes_over_with_the_next_step_and_its_way_begins_there() {
        aIsMasterAndBStandsBy();
        hold();
        aDies();
        b.step();
        ticker.pass(Duration.ofHours(3));
        b.step();
        instructions.release();
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(Optional.empty(), b.leadership.heldBack());
        assertEquals(
                "a does not answer; automatic takeover was on hold until now by bob (kernel update)",
                lastChange().reason());
        assertEquals(0, lastChange().tookMillis());
    }

    @Test
    void not_even_an_owner_proven_dead_is_followed_while_takeovers_are_on_hold() {
        aIsMasterAndBStandsBy();
        hold();
        a.latch.leave();
        b.leadership.ownerIsGone(new OwnerLoss(b.owner().epoch(), true, 4711, 0, 0));
        b.step();
        assertEquals(Role.STANDBY, b.role());
        assertTrue(b.leadership.heldBack().isPresent(), "though the last heartbeat is young");
        instructions.release();
        b.step();
        assertEquals(List.of("open", "take, predecessor dead since 4711"), b.calls);
    }

    @Test
    void a_living_owner_that_has_lost_the_latch_is_not_asked_to_hand_over_while_takeovers_are_on_hold() {
        aIsMasterAndBStandsBy();
        hold();
        a.latch.isDeletedByHand();
        b.step();
        assertEquals(List.of(), b.calls);
        assertEquals(Optional.empty(), b.leadership.heldBack(), "it fires");
        a.step();
        assertEquals(List.of("b", "a"), line.names());
        b.step();
        b.step();
        assertEquals(List.of("a", "b"), line.names(), "it has the latch again");
        assertEquals(Role.MASTER, a.role());
    }

    @Test
    void the_owners_node_comes_back_to_its_role_while_takeovers_are_on_hold() {
        aIsMasterAndBStandsBy();
        hold();
        aDies();
        b.step();
        try (TestNode again = new TestNode(TestSettings.of(database, "a"), line, ticker)) {
            again.step();
            assertEquals(List.of("b", "a"), line.names());
            b.step();
            again.step();
            assertEquals(Role.MASTER, again.role());
            b.step();
            assertEquals(List.of("a", "b"), line.names());
            assertEquals(
                    "this node was restarted",
                    again.history.promotions(1).get(0).reason());
        }
    }

    @Test
    void a_master_that_is_stopped_while_takeovers_are_on_hold_leaves_the_role_to_its_own_return() {
        aIsMasterAndBStandsBy();
        hold();
        a.leadership.retire();
        for (int i = 0; i < 5; i++) {
            a.step();
        }
        assertEquals(Role.STOPPED, a.role());
        b.step();
        assertEquals(Role.STANDBY, b.role());
        assertTrue(b.leadership.heldBack().isPresent());
    }

    @Test
    void a_promotion_that_a_hold_overtakes_stands_back() {
        aIsMasterAndBStandsBy();
        a.latch.isDeletedByHand();
        b.step();
        assertEquals(Role.PROMOTING, b.role());
        hold();
        ticker.pass(Duration.ofSeconds(1));
        b.step();
        assertEquals(Role.STANDBY, b.role());
        assertEquals("automatic takeover is on hold", lastChange().reason());
        assertEquals("a", b.owner().node());
    }

    @Test
    void a_hold_that_comes_between_the_look_and_the_opening_is_not_overtaken() {
        aIsMasterAndBStandsBy();
        aDies();
        b.beforeOpening = this::hold;
        b.step();
        assertEquals(Role.STANDBY, b.role());
        assertEquals(
                "another node opened an epoch first, or automatic takeover was put on hold",
                lastChange().reason());
        assertEquals("a", b.owner().node());
        b.beforeOpening = () -> {};
        b.step();
        assertEquals(Role.STANDBY, b.role());
    }

    @Test
    void a_switchover_that_a_person_asks_for_works_while_takeovers_are_on_hold() {
        aIsMasterAndBStandsBy();
        hold();
        instructions.ask(a.owner().epoch(), new MoveRequest("b", "bob", "switchover by hand"));
        a.step();
        assertEquals(Role.DEMOTING, a.role());
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(
                "a handed over: switchover by hand (asked by bob)", lastChange().reason());
        assertTrue(lastChange().steps().contains("\"latch\""), lastChange().steps());
        a.step();
        a.step();
        assertFalse(b.owner().mayBeFollowedBy("a"), "the hold goes on, and the role is b's now");
    }

    @Test
    void an_owner_that_a_person_has_asked_already_is_not_asked_again_by_whoever_has_its_latch() {
        aIsMasterAndBStandsBy();
        instructions.ask(a.owner().epoch(), new MoveRequest(null, "bob", "switchover by hand"));
        a.latch.leave();
        b.step();
        assertEquals(Role.PROMOTING, b.role());
        assertEquals(List.of(), b.calls);
        a.step();
        b.step();
        assertEquals(List.of("open", "take, predecessor over"), b.calls);
    }

    @Test
    void a_failover_by_hand_works_while_takeovers_are_on_hold() {
        aIsMasterAndBStandsBy();
        hold();
        aDies();
        b.step();
        instructions.ask(b.owner().epoch(), new MoveRequest(null, "bob", "failover by hand"));
        b.step();
        assertEquals(Role.MASTER, b.role());
        assertEquals(
                "a does not answer: failover by hand (asked by bob)",
                lastChange().reason());
    }

    @Test
    void a_silent_owner_counts_as_undetected_since_its_last_heartbeat_as_far_as_this_node_was_there() {
        aIsMasterAndBStandsBy();
        ticker.pass(Duration.ofSeconds(5));
        aDies();
        b.step();
        assertEquals(7000, lastChange().tookMillis());
        assertTrue(
                lastChange().steps().contains("{\"step\": \"detect\", \"micros\": 7000000}"),
                lastChange().steps());
    }
}
