package io.twinbell.persistence.epoch;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class InstructionRegisterTest {
    private static final long FAR = 4_102_444_800_000L;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks sql = new TestTasks(database);
    private final DatabaseSettings a = TestSettings.of(database, "a");
    private final DatabaseSettings b = TestSettings.of(database, "b");
    private final DedicatedConnection connection = new DedicatedConnection(a, "epoch", 10);
    private final DedicatedConnection people = new DedicatedConnection(a, "cluster", 10);
    private final EpochRegister epochs = new JdbcEpochRegister(a, connection);
    private final InstructionRegister instructions = new InstructionRegister(people);

    @AfterEach
    void close() {
        connection.close();
        people.close();
    }

    private boolean opens(DatabaseSettings who) {
        Claimant claimant = new Claimant(who.node(), who.incarnation(), 1, 0);
        return epochs.open(epochs.read().epoch(), claimant, "test").isPresent();
    }

    private void hold() {
        instructions.hold("kernel update", "bob", OptionalLong.empty());
    }

    @Test
    void a_hold_says_who_why_and_until_when_and_lasts_until_it_is_released() {
        assertEquals(Optional.empty(), instructions.hold());
        instructions.hold("kernel update", "bob", OptionalLong.of(FAR));
        TakeoverHold hold = instructions.hold().orElseThrow();
        assertEquals("by bob (kernel update)", hold.toString());
        assertEquals(FAR, hold.untilMillis());
        instructions.hold("and the disks", "eve", OptionalLong.empty());
        TakeoverHold second = epochs.read().hold();
        assertEquals("by eve (and the disks)", second.toString());
        assertEquals(hold.sinceMillis(), second.sinceMillis(), "it is the same hold");
        assertFalse(second.hasEnd());
        assertTrue(instructions.release());
        assertFalse(instructions.release(), "there is none any more");
        assertNull(epochs.read().hold());
    }

    @Test
    void while_takeovers_are_on_hold_only_the_owners_own_node_opens_the_next_epoch() {
        opens(a);
        hold();
        assertFalse(epochs.read().mayBeFollowedBy("b"));
        assertFalse(opens(b));
        assertEquals("a", epochs.read().node());
        assertTrue(epochs.read().mayBeFollowedBy("a"));
        assertTrue(opens(a), "a master that was restarted is no takeover");
        instructions.release();
        assertTrue(opens(b));
    }

    @Test
    void while_takeovers_are_on_hold_nobody_becomes_the_first_master() {
        hold();
        assertFalse(opens(a));
        instructions.release();
        assertTrue(opens(a));
    }

    @Test
    void a_hold_whose_end_has_come_needs_nobody() {
        opens(a);
        instructions.hold("kernel update", "bob", OptionalLong.of(FAR));
        assertFalse(opens(b));
        sql.execute("update twinbell.takeover_hold set held_until = clock_timestamp()");
        assertEquals(Optional.empty(), instructions.hold());
        assertFalse(instructions.release(), "it is over");
        assertTrue(opens(b));
    }

    @Test
    void a_move_by_hand_is_allowed_in_spite_of_a_hold_to_the_node_that_it_names() {
        opens(a);
        hold();
        instructions.ask(1, new MoveRequest("c", "bob", "tired of a"));
        assertFalse(epochs.read().mayBeFollowedBy("b"));
        assertFalse(opens(b));
        instructions.ask(1, new MoveRequest("b", "bob", "no, of c"));
        assertEquals("no, of c (asked by bob)", epochs.read().move().toString());
        assertTrue(opens(b));
        assertNull(epochs.read().move(), "it was about an epoch that is over");
        assertFalse(opens(a), "and the hold goes on");
    }

    @Test
    void a_standbys_request_counts_only_without_a_hold() {
        opens(a);
        Epoch owned = new Epoch(epochs.read().epoch(), null, "a", 0);
        epochs.askToHandOver(owned.number(), "b", "holds the latch");
        assertEquals(Optional.of("holds the latch (asked by b)"), epochs.handOverAsked(owned));
        hold();
        assertEquals(Optional.empty(), epochs.handOverAsked(owned));
        instructions.ask(owned.number(), new MoveRequest(null, "bob", "now"));
        assertEquals(Optional.of("now (asked by bob)"), epochs.handOverAsked(owned));
        sql.execute("update twinbell.hand_over_request set requested_at = requested_at - interval '30 seconds'");
        assertEquals(Optional.empty(), epochs.handOverAsked(owned), "bob was told that it has come to nothing");
        instructions.release();
        assertEquals(Optional.empty(), epochs.handOverAsked(owned), "b waits no more");
    }

    @Test
    void a_move_that_came_to_nothing_allows_nothing_later() {
        opens(a);
        hold();
        long first = instructions.ask(1, new MoveRequest(null, "bob", "try"));
        long second = instructions.ask(1, new MoveRequest(null, "eve", "try as well"));
        instructions.withdraw(first);
        assertEquals("eve", epochs.read().move().by(), "another's stays");
        instructions.withdraw(second);
        assertFalse(opens(b));
        instructions.ask(1, new MoveRequest(null, "bob", "try again"));
        sql.execute("update twinbell.hand_over_request set requested_at = requested_at - interval '30 seconds'");
        assertNull(epochs.read().move());
        assertFalse(opens(b));
    }

    @Test
    void the_owner_hears_of_a_move_by_hand_as_of_any_other_request() {
        opens(a);
        Epoch epoch = new Epoch(1, null, "a", 0);
        instructions.ask(1, new MoveRequest("b", "bob", "night shift"));
        assertEquals(Optional.of("night shift (asked by bob)"), epochs.handOverAsked(epoch));
    }

    @Test
    void a_hold_that_is_being_set_is_waited_for_by_who_opens_an_epoch() throws SQLException {
        opens(a);
        try (Connection setting = database.getConnection()) {
            setting.setAutoCommit(false);
            setting.createStatement().execute("update twinbell.takeover_hold set held_at = clock_timestamp()");
            // Who has waited for 300 ms gives up, and has opened nothing either.
            CompletableFuture<Boolean> opening =
                    CompletableFuture.supplyAsync(() -> opens(b)).exceptionally(gaveUp -> false);
            await().until(() -> opening.isDone()
                    || sql.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                    + " and datname = current_database()")
                            == 1);
            setting.commit();
            assertFalse(opening.join());
        }
        assertFalse(opens(b));
    }

    @Test
    void a_hold_is_acknowledged_only_when_an_opening_in_flight_has_ended() throws SQLException {
        opens(a);
        try (Connection opening = database.getConnection()) {
            opening.setAutoCommit(false);
            opening.createStatement().execute("with " + InstructionRegister.NO_HOLD + " select 1 from no_hold");
            CompletableFuture<Void> holding = CompletableFuture.runAsync(this::hold);
            await().until(() -> sql.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and datname = current_database()")
                    == 1);
            assertFalse(holding.isDone());
            opening.commit();
            holding.join();
        }
        assertFalse(opens(b));
    }
}
