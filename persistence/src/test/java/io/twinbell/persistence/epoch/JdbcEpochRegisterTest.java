package io.twinbell.persistence.epoch;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class JdbcEpochRegisterTest {
    private static final String BLOCKED_HERE = "select count(*) from pg_stat_activity"
            + " where datname = current_database() and wait_event_type = 'Lock'";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final DatabaseSettings a = TestSettings.of(database, "a");
    private final DatabaseSettings b = TestSettings.of(database, "b");
    private final DedicatedConnection connectionOfA = new DedicatedConnection(a, "epoch", 5);
    private final DedicatedConnection connectionOfB = new DedicatedConnection(b, "epoch", 5);
    private final EpochRegister registerOfA = new JdbcEpochRegister(a, connectionOfA);
    private final EpochRegister registerOfB = new JdbcEpochRegister(b, connectionOfB);

    @AfterEach
    void close() {
        connectionOfA.close();
        connectionOfB.close();
    }

    @Test
    void a_fresh_database_has_no_owner() {
        EpochRow row = registerOfA.read();
        assertEquals(0, row.epoch());
        assertFalse(row.isOwnerAlive());
    }

    @Test
    void an_epoch_grows_by_one_or_to_the_creation_id_of_the_latch_node() {
        Epoch first = open(registerOfA, a, 0, 0);
        assertEquals(1, first.number());
        Epoch second = open(registerOfB, b, 1, 4711);
        assertEquals(4711, second.number());
        Epoch third = open(registerOfA, a, 4711, 12);
        assertEquals(4712, third.number(), "an older creation id does not set it back");
    }

    @Test
    void only_one_of_two_that_expect_the_same_epoch_opens_the_next() {
        assertTrue(registerOfA.open(0, claimant(a, 0), "first").isPresent());
        assertEquals(Optional.empty(), registerOfB.open(0, claimant(b, 0), "second"));
        assertEquals("a", registerOfB.read().node());
    }

    @Test
    void an_owner_counts_as_alive_from_the_moment_it_opened() {
        open(registerOfA, a, 0, 0);
        assertTrue(registerOfB.read().isOwnerAlive());
    }

    @Test
    void a_superseded_owner_can_neither_beat_nor_confirm_nor_resign() {
        Epoch old = open(registerOfA, a, 0, 0);
        assertTrue(registerOfA.beat(old));
        assertTrue(registerOfA.confirm(old));
        open(registerOfB, b, 1, 0);
        assertFalse(registerOfA.beat(old));
        assertFalse(registerOfA.confirm(old));
        assertFalse(registerOfA.resign(old, Duration.ofSeconds(1)));
        assertTrue(registerOfB.read().isOwnerAlive(), "and the new owner did not lose anything by it");
    }

    @Test
    void each_heartbeat_raises_the_mark_also_after_the_clock_was_set_back() {
        Epoch epoch = open(registerOfA, a, 0, 0);
        assertTrue(registerOfA.beat(epoch));
        long first = a.servers().newest().orElseThrow().markMillis();
        assertTrue(first > epoch.openedAtMillis() - 1000, "it is the time");
        long future = first + 3_600_000;
        new TestTasks(database).execute("select setval('twinbell.history_mark', " + future + ")");
        assertTrue(registerOfA.beat(epoch));
        assertEquals(future + 1, a.servers().newest().orElseThrow().markMillis());
        open(registerOfB, b, 1, 0);
        assertFalse(registerOfA.beat(epoch));
        assertEquals(future + 1, new TestTasks(database).number("select last_value from twinbell.history_mark"));
    }

    @Test
    void the_right_number_with_the_wrong_token_is_refused() {
        Epoch owned = open(registerOfA, a, 0, 0);
        Epoch forged = new Epoch(owned.number(), java.util.UUID.randomUUID(), "b", owned.openedAtMillis());
        assertFalse(registerOfB.beat(forged));
        assertFalse(registerOfB.confirm(forged));
    }

    @Test
    void a_resigned_owner_is_not_alive_and_drains_until_it_says_so() {
        Epoch old = open(registerOfA, a, 0, 0);
        assertTrue(registerOfA.resign(old, Duration.ofMinutes(10)));
        EpochRow resigned = registerOfB.read();
        assertFalse(resigned.isOwnerAlive());
        assertEquals(old.number(), resigned.drainingEpoch());
        open(registerOfB, b, 1, 0);
        assertEquals(old.number(), registerOfB.read().drainingEpoch(), "also under the next epoch");
        long until = registerOfB.read().drainingUntilMillis();
        registerOfA.drained(old);
        assertTrue(registerOfB.read().drainingUntilMillis() < until - 300_000);
    }

    @Test
    void a_request_to_hand_over_reaches_the_owner_that_it_names_and_goes_with_its_epoch() {
        Epoch first = open(registerOfA, a, 0, 0);
        registerOfB.askToHandOver(first.number(), "b", "holds the latch");
        assertEquals(Optional.of("holds the latch (asked by b)"), registerOfA.handOverAsked(first));
        Epoch second = open(registerOfB, b, 1, 0);
        assertEquals(Optional.empty(), registerOfB.handOverAsked(second));
        assertEquals(Optional.empty(), registerOfA.handOverAsked(first));
    }

    @Test
    void a_frozen_owner_that_holds_the_row_has_its_sessions_ended() throws SQLException {
        Epoch old = open(registerOfA, a, 0, 0);
        Properties properties = new Properties();
        properties.setProperty("user", a.user());
        properties.setProperty("password", a.password() == null ? "" : a.password());
        properties.setProperty("ApplicationName", a.applicationName("claim"));
        try (Connection frozen = DriverManager.getConnection(a.url(), properties)) {
            frozen.setAutoCommit(false);
            try (var statement =
                    frozen.prepareStatement("with " + EpochGuard.OF_THE_OWNER + " select count(*) from authority")) {
                EpochGuard.bind(statement, 1, old);
                statement.executeQuery();
                Epoch next = open(registerOfB, b, 1, 0);
                assertEquals(2, next.number());
            }
        }
    }

    @Test
    void an_opening_that_had_to_wait_for_a_claim_is_later_than_it_by_the_clock_as_well() throws Exception {
        try (Connection claim = database.getConnection();
                Connection observer = database.getConnection();
                Statement statement = claim.createStatement();
                Statement look = observer.createStatement()) {
            claim.setAutoCommit(false);
            statement.execute("select 1 from twinbell.epoch for share");
            CompletableFuture<Epoch> opening = CompletableFuture.supplyAsync(() -> open(registerOfA, a, 0, 0));
            await().pollInterval(Duration.ofMillis(1)).until(() -> number(look, BLOCKED_HERE) > 0 || opening.isDone());
            long claimedMillis = number(statement, "select twinbell.millis(clock_timestamp())");
            claim.commit();
            assertTrue(opening.join().openedAtMillis() >= claimedMillis);
        }
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void role_changes_are_read_back_newest_first() {
        RoleHistory history = new JdbcRoleHistory(connectionOfA);
        RoleChange older = change("STANDBY", "PROMOTING");
        RoleChange newer = change("PROMOTING", "MASTER");
        history.record(older);
        history.record(newer);
        assertEquals(List.of(newer, older), new JdbcRoleHistory(connectionOfB).latest(10));
    }

    @Test
    void a_step_that_is_known_later_is_added_to_the_promotion_that_it_belongs_to() {
        RoleHistory history = new JdbcRoleHistory(connectionOfA);
        history.record(change("STANDBY", "PROMOTING"));
        history.record(change("PROMOTING", "MASTER"));
        history.addStep("a", 7, "first fire", 1200);
        history.addStep("a", 6, "first fire", 1300);
        assertEquals(
                List.of("[{\"step\": \"first fire\", \"micros\": 1200}]", "[]"),
                history.latest(10).stream().map(RoleChange::steps).toList());
        assertEquals(
                List.of("MASTER"),
                history.promotions(10).stream().map(RoleChange::to).toList());
    }

    private RoleChange change(String from, String to) {
        return new RoleChange(1_700_000_000_123L, "a", a.incarnation(), 7, from, to, "because", 12, "[]");
    }

    private static Epoch open(EpochRegister register, DatabaseSettings who, long expected, long czxid) {
        return register.open(expected, claimant(who, czxid), "test").orElseThrow();
    }

    private static Claimant claimant(DatabaseSettings who, long czxid) {
        return new Claimant(who.node(), who.incarnation(), 1, czxid);
    }
}
