package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.Tasks;
import io.twinbell.Twinbell;
import io.twinbell.handler.TransactionContext;
import io.twinbell.handler.TransactionalHandler;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each test has tasks of its own app in one pair, which is whole again after each test. */
@Timeout(300)
class TestPairTest {
    private static final Map<String, CountDownLatch> GATES = new ConcurrentHashMap<>();

    @RegisterExtension
    static final TwinbellExtension TWINBELL = TwinbellExtension.onServers(
            () -> TestPair.builder(TestPairTest::application).patience(Duration.ofMinutes(2)));

    private static TestPair started;

    @BeforeAll
    static void remember() {
        started = TWINBELL.pair();
    }

    private static Twinbell.Builder application(TestDatabase database) {
        createTable(database);
        return Twinbell.builder()
                .set("http.enabled", "true")
                .handler("ok", context -> "did " + context.data())
                .handler("flaky", FailingHandler.attempts(1, context -> "recovered"))
                .handler("gated", context -> {
                    CountDownLatch gate = GATES.get(context.name());
                    return context.attempt() > 1 || gate.await(2, TimeUnit.MINUTES) ? "passed" : "gave up";
                })
                .handler("insert", (TransactionalHandler) TestPairTest::insert);
    }

    private static void createTable(TestDatabase database) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists effect (slot text)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object insert(TransactionContext context) throws SQLException {
        try (PreparedStatement insert = context.connection().prepareStatement("insert into effect values (?)")) {
            insert.setString(1, context.idempotencyKey());
            return insert.executeUpdate();
        }
    }

    private static String task(String schedule, String key, String more) {
        return "{\"schedule\":" + schedule + ",\"handler\":{\"type\":\"java\",\"key\":\"" + key + "\"}" + more + "}";
    }

    @Test
    void outcomes_are_awaited_in_real_time(Tasks tasks, TestPair pair) {
        tasks.put("first", "soon", task("{\"in\":\"PT0.5S\"}", "ok", ",\"data\":{\"id\":1}"));
        pair.assertThat("first", "soon").exists().hasNotFired();
        pair.await("first", "soon", task -> task.firedTimes(1).succeeded().doesNotFireAgain());
        tasks.put(
                "first",
                "flaky",
                task("{\"in\":\"PT0.1S\"}", "flaky", ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT0.1S\"}"));
        pair.await(
                "first",
                "flaky",
                task -> task.latest().succeeded().hasAttempts(2).hasOutput("recovered"));
        TestExecution.EarlierAttempt earlier =
                pair.executions("first", "flaky").get(0).earlierAttempts().get(0);
        assertEquals("FAILED", earlier.state());
        assertTrue(earlier.error().contains("attempt 1"), earlier::error);
    }

    @Test
    void an_assertion_that_never_holds_fails_with_the_ledger(TestPair pair) {
        pair.tasks().put("x", "later", task("{\"in\":\"P1D\"}", "ok", ""));
        pair.trigger("x", "later");
        pair.await("x", "later", task -> task.succeeded());
        AssertionError failure = assertThrows(
                AssertionError.class,
                () -> pair.await("x", "later", task -> task.hasStates("FAILED"), Duration.ofMillis(100)));
        assertTrue(failure.getMessage().contains("expected task x/later to have executions [FAILED]"));
        assertTrue(failure.getMessage().contains("SUCCEEDED"), failure::getMessage);
        assertThrows(IllegalArgumentException.class, () -> pair.trigger("x", "nothing"));
    }

    @Test
    @Tag("thorough")
    void an_assertion_is_given_up_after_the_patience_of_the_pair() {
        try (TestPair pair = TestPair.builder(Twinbell::builder)
                .patience(Duration.ofSeconds(20))
                .start()) {
            assertThrows(AssertionError.class, () -> pair.await("x", "absent", task -> task.exists()));
        }
    }

    @Test
    void an_operator_triggers_cancels_and_reruns(Tasks tasks, TestPair pair) {
        tasks.put("operator", "later", task("{\"in\":\"P1D\"}", "ok", ""));
        Instant fireTime = pair.trigger("operator", "later", "{\"id\":7}");
        pair.await("operator", "later", task -> task.at(fireTime).succeeded().hasOutput("did {\"id\":7}"));
        assertEquals("TRIGGERED", pair.executions("operator", "later").get(0).origin());
        assertTrue(pair.rerun("operator", "later", fireTime, "once more"));
        pair.await("operator", "later", task -> task.at(fireTime).succeeded().hasAttempts(2));
        assertFalse(pair.cancel("operator", "later", fireTime, "too late"));

        GATES.put("stuck", new CountDownLatch(1));
        tasks.put("operator", "stuck", task("{\"in\":\"PT0.1S\"}", "gated", ""));
        pair.await("operator", "stuck", task -> task.latest().isInState("RUNNING"));
        Instant running = pair.executions("operator", "stuck").get(0).fireTime();
        assertTrue(pair.cancel("operator", "stuck", running, "not needed"));
        pair.await("operator", "stuck", task -> task.latest().isInState("CANCELLED"));
    }

    @Test
    void transactional_handlers_write_to_the_database_of_the_pair(Tasks tasks, TestPair pair, TestDatabase database)
            throws SQLException {
        tasks.put("database", "insert", task("{\"in\":\"PT0.1S\"}", "insert", ""));
        pair.await("database", "insert", task -> task.succeeded());
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select count(*) from effect")) {
                assertTrue(rows.next());
                assertEquals(1, rows.getInt(1));
            }
            tasks.in(connection).put("database", "undone", task("{\"in\":\"PT0.1S\"}", "ok", ""));
            connection.rollback();
        }
        pair.assertThat("database", "undone").doesNotExist();
    }

    @Test
    void a_failover_drops_a_running_execution_or_runs_it_again(Tasks tasks, TestPair pair) {
        GATES.put("drop", new CountDownLatch(1));
        GATES.put("rerun", new CountDownLatch(1));
        tasks.put("failover", "drop", task("{\"in\":\"PT0.1S\"}", "gated", ""));
        tasks.put("failover", "rerun", task("{\"in\":\"PT0.1S\"}", "gated", ",\"orphan\":\"RERUN\""));
        pair.await("failover", "drop", task -> task.latest().isInState("RUNNING"));
        pair.await("failover", "rerun", task -> task.latest().isInState("RUNNING"));
        String former = pair.masterId();
        pair.failover();
        assertNotEquals(former, pair.masterId());
        pair.await("failover", "drop", task -> task.latest().isInState("DROPPED"));
        pair.await("failover", "rerun", task -> task.latest().succeeded().hasAttempts(2));
        assertEquals(
                pair.masterId(), pair.executions("failover", "rerun").get(0).node());
        GATES.values().forEach(CountDownLatch::countDown);
    }

    @Test
    @Tag("thorough")
    void a_second_failover_makes_the_former_master_master_again(TestPair pair) {
        String former = pair.masterId();
        pair.failover();
        pair.failover();
        assertEquals(former, pair.masterId());
    }

    @Test
    @Tag("thorough")
    void an_outage_of_both_nodes_makes_misfire_policies_visible(TestPair pair) {
        String everySecond = "{\"every\":\"PT1S\"}";
        String late = ",\"maxRuns\":3,\"misfire\":{\"policy\":\"SKIP\",\"threshold\":\"PT1S\"}";
        pair.tasks().put("down", "skip", task(everySecond, "ok", late));
        pair.await("down", "skip", task -> task.succeeded());
        pair.nodeDown(Duration.ofSeconds(4));
        pair.await("down", "skip", task -> task.doesNotFireAgain());
        assertTrue(
                pair.executions("down", "skip").stream()
                        .anyMatch(row -> row.state().equals("MISSED") && row.slots() > 1),
                () -> pair.executions("down", "skip").toString());
    }

    @Test
    @Tag("thorough")
    void without_the_database_nothing_fires_and_afterwards_nothing_is_lost(TestPair pair) {
        pair.tasks().put("away", "soon", task("{\"in\":\"PT2S\"}", "ok", ""));
        pair.databaseAway(Duration.ofSeconds(4));
        pair.await("away", "soon", task -> task.firedTimes(1).succeeded());
        TestExecution row = pair.executions("away", "soon").get(0);
        assertTrue(row.startedAt().isAfter(row.fireTime().plusSeconds(1)), row::toString);
    }

    @Nested
    class Inner {
        @Test
        void a_nested_class_shares_the_pair_of_its_outer_class(TestPair pair) {
            assertSame(started, pair);
        }
    }

    /** The nested classes have ended by now. */
    @AfterAll
    static void stillRuns() {
        assertSame(started, TWINBELL.pair());
    }

    @Test
    void both_modes_are_one_type_and_say_which_they_are(TwinbellFixture fixture, Twinbell master) {
        assertSame(TWINBELL.pair(), fixture);
        assertSame(started, fixture, "a pair on a static field lives as long as the class");
        assertEquals("MASTER", master.role());
        assertThrows(IllegalStateException.class, TWINBELL::scheduler);
    }
}
