package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.Tasks;
import io.twinbell.Twinbell;
import io.twinbell.client.HandlerKey;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an application developer does with the kit. */
class TestSchedulerTest {
    private static final String JAVA = ",\"handler\":{\"type\":\"java\",\"key\":\"close\"}";
    private static final HandlerKey<Invoice> BILL = HandlerKey.of("bill", Invoice.class);

    private static final HandlerKey<BigDecimal[]> PAY = HandlerKey.of("pay", BigDecimal[].class);

    private final List<String> ran = new ArrayList<>();

    /** A payload. */
    record Invoice(int number) {}

    @RegisterExtension
    final TwinbellExtension twinbell = TwinbellExtension.of(() -> TestScheduler.builder()
            .startingAt("2026-03-01T00:00:00Z")
            .handler("close", context -> ran.add(context.idempotencyKey()))
            .handler("long", context -> "done")
            .handler("flaky", FailingHandler.attempts(2, context -> "third time"))
            .handler("broken", FailingHandler.always())
            .handler(BILL, (invoice, context) -> "billed " + invoice.number())
            .handler(PAY, (amounts, context) -> Arrays.toString(amounts))
            .takes("long", Duration.ofMinutes(10))
            .limit("db", 1));

    private static String task(String schedule, String key, String more) {
        return "{\"schedule\":" + schedule + ",\"handler\":{\"type\":\"java\",\"key\":\"" + key + "\"}" + more + "}";
    }

    @Test
    void thirty_days_of_a_cron_task_run_in_order_on_this_thread(TestClock clock, Tasks tasks) {
        tasks.put("billing", "close-day", task("{\"cron\":\"30 2 * * *\",\"zone\":\"Europe/Berlin\"}", "close", ""));
        clock.advance(Duration.ofDays(30));
        twinbell.scheduler()
                .assertThat("billing", "close-day")
                .firedTimes(30)
                .succeeded()
                .firesNextAt("2026-03-31T00:30:00Z")
                .at("2026-03-29T01:00:00Z")
                .startedAt(Instant.parse("2026-03-29T01:00:00Z"));
        assertEquals(30, ran.size());
        assertEquals("1/2026-03-01T01:30:00.000Z", ran.get(0));
    }

    @Test
    void numbers_reach_a_typed_handler_with_all_digits(TestScheduler scheduler) {
        BigDecimal[] amounts = {new BigDecimal("0.12345678901234567890123"), new BigDecimal("100.00")};
        scheduler.client("a").schedule(PAY, amounts).named("x");
        scheduler.clock().advance(Duration.ofSeconds(1));
        scheduler.assertThat("a", "x").latest().succeeded().hasOutput(Arrays.toString(amounts));
    }

    @Test
    void a_failing_attempt_is_retried_after_its_backoff(TestScheduler scheduler) {
        scheduler
                .tasks()
                .put(
                        "a",
                        "x",
                        task(
                                "{\"in\":\"PT1H\"}",
                                "flaky",
                                ",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT1M\",\"jitter\":0}"));
        scheduler.clock().advance(Duration.ofHours(2));
        TestExecution execution = scheduler
                .assertThat("a", "x")
                .latest()
                .succeeded()
                .hasAttempts(3)
                .hasOutput("third time")
                .execution();
        assertEquals(Instant.parse("2026-03-01T01:02:00Z"), execution.startedAt());
        assertEquals(2, execution.earlierAttempts().size());
        assertEquals(FailingHandler.CODE, execution.earlierAttempts().get(0).errorCode());
    }

    @Test
    void a_failover_drops_a_running_execution_or_runs_it_again(TestScheduler scheduler) {
        scheduler.tasks().put("a", "drop", task("{\"in\":\"PT1H\"}", "long", ""));
        scheduler.tasks().put("a", "rerun", task("{\"in\":\"PT1H\"}", "long", ",\"orphan\":\"RERUN\""));
        scheduler.clock().advance(Duration.ofMinutes(65));
        scheduler.assertThat("a", "drop").latest().isInState("RUNNING");
        scheduler.failover();
        scheduler.clock().advance(Duration.ofHours(1));
        scheduler.assertThat("a", "drop").latest().isInState("DROPPED");
        TestExecution again = scheduler
                .assertThat("a", "rerun")
                .latest()
                .succeeded()
                .hasAttempts(2)
                .execution();
        assertEquals("b", again.node());
    }

    @Test
    void an_outage_of_both_nodes_makes_misfire_policies_visible(TestScheduler scheduler) {
        String every = "{\"every\":\"PT1H\",\"align\":\"PT1H\"}";
        scheduler.tasks().put("a", "once", task(every, "close", ""));
        scheduler.tasks().put("a", "skip", task(every, "close", ",\"misfire\":{\"policy\":\"SKIP\"}"));
        scheduler.tasks().put("a", "all", task(every, "close", ",\"misfire\":{\"policy\":\"FIRE_ALL\"}"));
        scheduler.clock().advance(Duration.ofMinutes(90));
        scheduler.nodeDown(Duration.ofHours(5));
        scheduler.clock().advance(Duration.ofSeconds(1));
        scheduler.assertThat("a", "once").hasStates("SUCCEEDED", "MISSED", "SUCCEEDED");
        scheduler.assertThat("a", "skip").hasStates("SUCCEEDED", "MISSED");
        scheduler.assertThat("a", "all").firedTimes(6).succeeded();
    }

    @Test
    void a_database_that_is_away_delays_slots_and_refuses_changes(TestScheduler scheduler) {
        scheduler.tasks().put("a", "x", task("{\"at\":\"2026-03-01T00:00:10Z\"}", "close", ""));
        scheduler.databaseAway(Duration.ofSeconds(20));
        assertTrue(ran.isEmpty());
        scheduler.assertThat("a", "x").hasNotFired();
        scheduler.clock().advance(Duration.ofSeconds(1));
        scheduler.assertThat("a", "x").latest().succeeded();
        assertEquals(1, ran.size());
    }

    @Test
    void a_closed_node_has_ended_and_says_so() {
        Twinbell node;
        try (TestScheduler scheduler = TestScheduler.builder().start()) {
            node = scheduler.twinbell();
            assertFalse(node.hasEnded());
            assertTrue(node.status().isReady());
        }
        assertTrue(node.hasEnded());
        assertEquals(Optional.of("the node is closed"), node.joinObstacle());
        assertFalse(node.status().isReady());
    }

    @Test
    void a_run_that_is_too_long_times_out_in_virtual_time(TestScheduler scheduler) {
        scheduler.tasks().put("a", "x", task("{\"in\":\"PT1S\"}", "long", ",\"timeout\":\"PT1M\""));
        scheduler.clock().advance(Duration.ofMinutes(5));
        TestExecution execution =
                scheduler.assertThat("a", "x").latest().isInState("TIMED_OUT").execution();
        assertEquals(Duration.ofMinutes(1), Duration.between(execution.startedAt(), execution.endedAt()));
    }

    @Test
    void a_year_of_fires_takes_no_thread_and_little_time(TestScheduler scheduler) {
        scheduler.tasks().put("a", "x", task("{\"cron\":\"0 * * * *\"}", "close", ""));
        scheduler.clock().advance(Duration.ofDays(365));
        scheduler.assertThat("a", "x").firedTimes(8760).succeeded();
    }

    @Test
    void overlapping_slots_are_skipped_queued_or_run_together(TestScheduler scheduler) {
        String every = "{\"every\":\"PT5M\"}";
        scheduler.tasks().put("a", "skip", task(every, "long", ",\"maxRuns\":3"));
        scheduler
                .tasks()
                .put("a", "queue", task(every, "long", ",\"overlap\":{\"policy\":\"QUEUE\",\"max\":5},\"maxRuns\":3"));
        scheduler.clock().advance(Duration.ofHours(1));
        scheduler.assertThat("a", "skip").hasStates("SUCCEEDED", "SKIPPED", "SUCCEEDED");
        scheduler.assertThat("a", "queue").firedTimes(3).succeeded().isInState("FINISHED");
    }

    @Test
    void a_limit_lets_one_run_at_a_time(TestScheduler scheduler) {
        for (String name : List.of("one", "two")) {
            scheduler.tasks().put("a", name, task("{\"in\":\"PT1H\"}", "long", ",\"concurrencyKey\":\"db\""));
        }
        scheduler.clock().advance(Duration.ofHours(2));
        scheduler.assertThat("a", "one").latest().succeeded().startedAt(Instant.parse("2026-03-01T01:00:00Z"));
        Instant second = scheduler
                .assertThat("a", "two")
                .latest()
                .succeeded()
                .execution()
                .startedAt();
        assertTrue(!second.isBefore(Instant.parse("2026-03-01T01:10:00Z")), second.toString());
    }

    @Test
    void chains_follow_with_typed_payloads(TestScheduler scheduler) {
        scheduler.tasks().put("a", "second", task("{\"in\":\"P300D\"}", "bill", ",\"data\":{\"number\":4711}"));
        scheduler.tasks().put("a", "first", task("{\"in\":\"PT1H\"}", "close", ",\"then\":[{\"name\":\"second\"}]"));
        scheduler.clock().advance(Duration.ofHours(2));
        TestExecution followed = scheduler.assertThat("a", "second").latest().execution();
        assertEquals("CHAINED", followed.origin());
    }

    @Test
    void a_typed_payload_reaches_its_handler(TestScheduler scheduler) {
        scheduler.tasks().put("a", "x", task("{\"in\":\"PT1H\"}", "bill", ",\"data\":{\"number\":4711}"));
        scheduler.clock().advance(Duration.ofHours(2));
        scheduler.assertThat("a", "x").latest().succeeded().hasOutput("billed 4711");
    }

    @Test
    void a_task_can_be_paused_resumed_triggered_and_removed(TestScheduler scheduler) {
        scheduler.tasks().put("a", "x", task("{\"every\":\"PT1H\",\"align\":\"PT1H\"}", "close", ""));
        scheduler.clock().advance(Duration.ofMinutes(61));
        scheduler.tasks().pause("a", "x", "holiday", "eve");
        scheduler.clock().advance(Duration.ofHours(3));
        scheduler.assertThat("a", "x").firedTimes(1).isInState("PAUSED");
        scheduler.tasks().resume("a", "x", 1);
        scheduler.clock().advance(Duration.ofSeconds(1));
        scheduler.assertThat("a", "x").hasStates("SUCCEEDED", "SKIPPED", "SUCCEEDED");
        scheduler.trigger("a", "x");
        scheduler.clock().advance(Duration.ofSeconds(1));
        scheduler.assertThat("a", "x").firedTimes(3);
        assertTrue(scheduler.tasks().trigger("a", "x", "again", "{\"n\":1}").isPresent());
        scheduler.clock().advance(Duration.ofSeconds(1));
        scheduler.assertThat("a", "x").firedTimes(4);
        scheduler.tasks().remove("a", "x");
        scheduler.clock().advance(Duration.ofDays(1));
        scheduler.assertThat("a", "x").doesNotExist().firedTimes(4);
        assertTrue(scheduler.tasks().trigger("a", "x").isEmpty());
    }

    @Test
    void what_virtual_time_cannot_run_is_refused_by_name(TestScheduler scheduler) {
        UnsupportedOperationException refusal = assertThrows(
                UnsupportedOperationException.class,
                () -> scheduler
                        .tasks()
                        .put(
                                "a",
                                "x",
                                "{\"schedule\":{\"in\":\"PT1S\"},\"handler\":{\"type\":\"http\",\"method\":\"GET\",\"url\":\"http://127.0.0.1/\"}}"));
        assertTrue(refusal.getMessage().contains("standIn(\"http\""), refusal.getMessage());
        assertThrows(
                UnsupportedOperationException.class,
                () -> scheduler.twinbell().pauses().list());
        assertEquals("MASTER", scheduler.twinbell().status().role());
        scheduler.tasks().put("a", "x", task("{\"every\":\"PT1H\"}", "close", ""));
        assertThrows(
                UnsupportedOperationException.class, () -> scheduler.tasks().ping("a", "x"));
        assertThrows(
                UnsupportedOperationException.class, () -> scheduler.tasks().why("a", "x", "2030-01-01 00:00"));
    }

    @Test
    void a_wrong_assertion_shows_the_ledger(TestScheduler scheduler) {
        scheduler.tasks().put("a", "x", task("{\"in\":\"PT1H\"}", "broken", ""));
        scheduler.clock().advance(Duration.ofHours(2));
        AssertionError failure = assertThrows(
                AssertionError.class, () -> scheduler.assertThat("a", "x").succeeded());
        assertTrue(failure.getMessage().contains("2026-03-01T01:00:00Z FAILED, TEST_FAILURE"), failure.getMessage());
    }

    @Test
    void code_that_the_program_schedules_runs_too(TestScheduler scheduler) {
        scheduler.twinbell().every(Duration.ofMinutes(10), "poll", context -> ran.add("poll"));
        scheduler.clock().advance(Duration.ofHours(1));
        assertEquals(6, ran.size());
    }
}
