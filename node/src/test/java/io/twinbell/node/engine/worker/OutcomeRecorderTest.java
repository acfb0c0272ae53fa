package io.twinbell.node.engine.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.engine.KeptRecorder;
import io.twinbell.node.engine.PromotedClaims;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.testing.HandTicker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class OutcomeRecorderTest {
    private static final Epoch EPOCH = TestRuns.epoch(1);
    private static final long NOW = StoredTasks.START + 5000;

    private final List<Completion> kept = new ArrayList<>();
    private final KeptRecorder recorder = new KeptRecorder(kept);
    private final ReadRequests readRequests = new ReadRequests(new Signals<>(EngineEvent.class));
    private final RunRegistry runRegistry =
            new RunRegistry(RunRegistry.Bounds.of(5000, 0), TestRuns.NO_PRESSURE, readRequests);
    private final List<String> fenced = new ArrayList<>();
    private final HandTicker ticker = new HandTicker();
    private final PromotedClaims claims = new PromotedClaims();
    private int wakes;
    private int roomMade;
    private final OutcomeRecorder outcomes = new OutcomeRecorder(
            recorder,
            ReportWriter.NONE,
            claims,
            runRegistry,
            new TimeSources(() -> NOW, ticker),
            (epoch, writes) -> fenced.add(epoch.number() + " " + writes),
            new NodeMetrics(new MetricRegistry(), ticker),
            new Signals<>(EngineEvent.class)
                    .on(EngineEvent.OUTCOME_ADDED, () -> wakes++)
                    .on(EngineEvent.ROOM_FREED, () -> roomMade++),
            readRequests);

    @Test
    void outcomes_that_end_during_a_write_form_the_next_batch() {
        for (int i = 1; i <= 1500; i++) {
            outcomes.add(run(EPOCH, i), HandlerOutcome.succeeded(null));
        }
        assertEquals(1, wakes, "the first tells of all that join it");
        assertEquals(0, outcomes.step());
        assertEquals(0, outcomes.step());
        assertEquals(List.of(1000, 500), recorder.batches);
        assertTrue(outcomes.step() > 0, "nothing left to do");
        outcomes.add(run(EPOCH, 1501), HandlerOutcome.succeeded(null));
        assertEquals(2, wakes, "what comes after a look tells again");
    }

    @Test
    void a_batch_is_full_when_as_many_wait_as_are_written_together() {
        for (int i = 1; i < 1000; i++) {
            outcomes.add(run(EPOCH, i), HandlerOutcome.succeeded(null));
        }
        assertFalse(outcomes.isFull());
        outcomes.add(run(EPOCH, 1000), HandlerOutcome.succeeded(null));
        outcomes.add(run(EPOCH, 1001), HandlerOutcome.succeeded(null));
        assertTrue(outcomes.isFull());
        outcomes.step();
        assertFalse(outcomes.isFull());
        outcomes.step();
        assertEquals(List.of(1000, 1), recorder.batches);
    }

    @Test
    void a_batch_that_took_long_is_followed_by_a_smaller_one_and_quick_ones_grow_again() {
        Duration[] each = {Duration.ofMillis(2)};
        recorder.fails = completions -> {
            ticker.pass(each[0].multipliedBy(completions.size()));
            return null;
        };
        for (int i = 1; i <= 4000; i++) {
            outcomes.add(run(EPOCH, i), HandlerOutcome.succeeded(null));
        }
        outcomes.step();
        outcomes.step();
        outcomes.step();
        each[0] = Duration.ZERO;
        outcomes.step();
        outcomes.step();
        assertEquals(List.of(1000, 500, 500, 500, 1000), recorder.batches);
    }

    @Test
    void one_that_leads_nowhere_does_not_keep_the_others() {
        Run broken = run(EPOCH, 2);
        outcomes.add(run(EPOCH, 1), HandlerOutcome.succeeded(null));
        outcomes.add(broken, null);
        outcomes.add(run(EPOCH, 3), HandlerOutcome.succeeded(null));
        assertEquals(0, outcomes.step());
        assertEquals(List.of(1L, 3L), keptTasks());
        assertFalse(runRegistry.contains(broken.slot()), "settling finds its row");
    }

    @Test
    void a_run_is_held_until_its_outcome_is_durable_and_its_room_is_told_then() {
        Run run = run(EPOCH, 1);
        outcomes.add(run, HandlerOutcome.succeeded("x"));
        assertTrue(runRegistry.contains(run.slot()));
        assertEquals(0, roomMade);
        outcomes.step();
        assertFalse(runRegistry.contains(run.slot()));
        assertEquals(1, roomMade);
    }

    @Test
    void while_the_database_is_away_outcomes_wait_in_order_and_none_is_lost() {
        recorder.failure = outage();
        Run run = run(EPOCH, 1);
        outcomes.add(run, HandlerOutcome.succeeded("first"));
        assertTrue(outcomes.step() > 0);
        assertTrue(runRegistry.contains(run.slot()));
        outcomes.add(run(EPOCH, 2), HandlerOutcome.succeeded("second"));
        recorder.failure = null;
        assertEquals(0, outcomes.step());
        assertEquals(
                List.of("first", "second"),
                kept.stream().map(completion -> completion.text().output()).toList());
    }

    @Test
    void an_outcome_that_is_refused_steps_the_node_down_and_becomes_a_note() {
        recorder.refuses = true;
        Run run = run(EPOCH, 1);
        outcomes.add(run, HandlerOutcome.succeeded("x"));
        outcomes.step();
        assertEquals(List.of("1 1"), fenced);
        assertEquals(1, recorder.noted.size());
        assertFalse(runRegistry.contains(run.slot()));
    }

    @Test
    void one_that_cannot_be_stored_is_let_go_of_and_the_others_are_kept() {
        recorder.fails = batch -> has(batch, 2) ? refusal() : null;
        List<Run> runs = List.of(run(EPOCH, 1), run(EPOCH, 2), run(EPOCH, 3));
        runs.forEach(run -> outcomes.add(run, HandlerOutcome.succeeded(null)));
        assertEquals(0, outcomes.step());
        assertEquals(List.of(1L, 3L), keptTasks());
        assertTrue(runs.stream().noneMatch(run -> runRegistry.contains(run.slot())));
    }

    @Test
    void none_is_lost_to_an_outage_that_begins_while_they_are_stored_one_by_one() {
        recorder.fails = batch -> has(batch, 2) ? refusal() : has(batch, 3) ? outage() : null;
        List<Run> runs = List.of(run(EPOCH, 1), run(EPOCH, 2), run(EPOCH, 3));
        runs.forEach(run -> outcomes.add(run, HandlerOutcome.succeeded(null)));
        assertTrue(outcomes.step() > 0);
        assertTrue(runRegistry.contains(runs.get(2).slot()));
        recorder.fails = batch -> null;
        outcomes.step();
        assertTrue(keptTasks().contains(3L), keptTasks().toString());
    }

    @Test
    void a_waiting_row_is_not_stored_again_for_another_that_is_refused() {
        recorder.fails = batch -> has(batch, 2) ? refusal() : null;
        outcomes.addWaitingFor(run(EPOCH, 1), "app:test");
        outcomes.addQueueing(run(EPOCH, 3));
        outcomes.add(run(EPOCH, 2), HandlerOutcome.succeeded(null));
        outcomes.step();
        assertEquals(List.of(1L), recorder.held);
        assertEquals(1, recorder.queued.size());
    }

    @Test
    void a_run_that_was_held_and_is_claimed_again_by_now_is_left_alone() {
        Run held = run(EPOCH, 1);
        outcomes.addWaitingFor(held, "app:test");
        runRegistry.add(StoredTasks.run(EPOCH, 1, StoredTasks.START));
        outcomes.step();
        assertEquals(List.of(), recorder.held);
    }

    @Test
    void a_run_that_waits_for_a_limit_waits_in_the_ledger_although_the_first_try_failed() {
        recorder.waitFailure = failure("55P03");
        outcomes.addWaitingFor(run(EPOCH, 1), "app:test");
        outcomes.step();
        recorder.waitFailure = null;
        ticker.pass(Duration.ofMinutes(1));
        outcomes.step();
        assertEquals(List.of(1L), recorder.held);
    }

    @Test
    void a_wait_is_not_written_over_a_later_run_of_its_slot() {
        recorder.waitFailure = failure("55P03");
        outcomes.addWaitingFor(run(EPOCH, 1), "app:test");
        outcomes.step();
        recorder.waitFailure = outage();
        ticker.pass(Duration.ofMinutes(1));
        outcomes.step();
        recorder.waitFailure = null;
        // The wait was committed although the answer was lost: so the slot was claimed again, and its run ended.
        recorder.failure = failure("55P03");
        outcomes.add(run(EPOCH, 1), HandlerOutcome.succeeded(null));
        outcomes.step();
        recorder.failure = null;
        ticker.pass(Duration.ofMinutes(1));
        outcomes.step();
        assertEquals(List.of(), recorder.held);
        assertEquals(List.of(1L), keptTasks());
    }

    @Test
    void waiting_rows_are_rewritten_to_a_promoted_server() {
        recorder.failure = outage();
        Run queueing = run(EPOCH, 3);
        outcomes.addQueueing(queueing);
        outcomes.add(run(EPOCH, 2), HandlerOutcome.succeeded(null));
        outcomes.step();
        outcomes.step();
        assertEquals(1, recorder.queued.size());
        claims.promote(ClaimJournal.Answer.CLAIMED);
        recorder.failure = null;
        outcomes.step();
        assertEquals(2, recorder.queued.size());
        assertFalse(runRegistry.contains(queueing.slot()));
    }

    /** If all runs stay in flight, the failure was taken for an outage, and no outcome was set aside. */
    @ParameterizedTest
    @CsvSource({
        "XX000, 500",
        "53200, 500",
        "55P03, 500",
        "57014, 500",
        "40001, 500",
        "53100, 1500",
        "58030, 1500",
        "57000, 1500"
    })
    void no_outcome_is_given_up_or_loses_its_text_while_the_server_lacks_resources(String state, int inFlightThen) {
        int outcomesAtOnce = 1500;
        recorder.failure = failure(state);
        for (int i = 1; i <= outcomesAtOnce; i++) {
            outcomes.add(run(EPOCH, i), HandlerOutcome.succeeded("output of " + i));
        }
        for (int i = 0; i < 3 * outcomesAtOnce; i++) {
            outcomes.step();
        }
        assertTrue(outcomes.step() > 0, "it does not try without a pause");
        assertEquals(inFlightThen, runRegistry.all().size(), "what is not set aside holds back claims");
        recorder.failure = null;
        for (int i = 0; i < outcomesAtOnce; i++) {
            ticker.pass(Duration.ofSeconds(1));
            outcomes.step();
        }
        assertAllAreKeptWithTheirTexts(outcomesAtOnce);
    }

    @Test
    void healthy_outcomes_are_recorded_although_more_fail_than_may_be_set_aside() {
        int all = 1300;
        Predicate<Completion> isHealthy = done -> done.slot().taskId() % 13 < 2;
        recorder.fails = batch -> lockFailure(batch, isHealthy);
        for (int i = 1; i <= all; i++) {
            outcomes.add(run(EPOCH, i), HandlerOutcome.succeeded("output of " + i));
        }
        for (int i = 0; i < all; i++) {
            outcomes.step();
        }
        assertEquals(200, kept.size());
        assertTrue(kept.stream().allMatch(isHealthy));
        assertEquals(100, runRegistry.all().size(), "what is not set aside holds back claims");

        // All tries of one round take longer than the longest pause.
        recorder.fails = batch -> lockFailure(batch, done -> done.slot().taskId() > 1000);
        for (int i = 0; i < all; i++) {
            outcomes.step();
        }
        assertEquals(200 + 300 * 11 / 13, kept.size(), "those that came last have their turn");
        assertEquals(0, runRegistry.all().size(), "now there is room for all the others");

        recorder.failure = outage();
        recorder.fails = batch -> recorder.failure;
        outcomes.retryAll();
        outcomes.step();
        recorder.failure = null;
        for (int i = 0; i < all; i++) {
            outcomes.step();
        }
        assertAllAreKeptWithTheirTexts(all);
    }

    private RuntimeException lockFailure(List<Completion> batch, Predicate<Completion> isFree) {
        if (batch.stream().allMatch(isFree)) {
            return null;
        }
        ticker.pass(Duration.ofMillis(200));
        return failure("55P03");
    }

    @Test
    void a_running_mark_that_fails_is_forgotten_although_no_more_outcomes_may_be_set_aside() {
        recorder.failure = failure("55P03");
        for (int i = 1; i <= 1001; i++) {
            outcomes.add(run(EPOCH, i), HandlerOutcome.succeeded(null));
        }
        for (int i = 0; i < 2000; i++) {
            outcomes.step();
        }
        Run late = run(EPOCH, 1002);
        outcomes.addRunning(late);
        for (int i = 0; i < 10; i++) {
            outcomes.step();
        }
        recorder.failure = null;
        outcomes.add(late, HandlerOutcome.succeeded(null));
        outcomes.step();
        assertEquals(List.of(), recorder.running);
        assertEquals(List.of(1002L), keptTasks());
    }

    private void assertAllAreKeptWithTheirTexts(int count) {
        assertEquals(count, new HashSet<>(keptTasks()).size());
        assertEquals(count, kept.size());
        assertTrue(kept.stream()
                .allMatch(done ->
                        ("output of " + done.slot().taskId()).equals(done.text().output())));
    }

    private static RuntimeException failure(String state) {
        return new DatabaseUnavailableException("outcomes", new SQLException("test", state));
    }

    private List<Long> keptTasks() {
        return kept.stream().map(completion -> completion.slot().taskId()).toList();
    }

    private static boolean has(List<Completion> batch, long task) {
        return batch.stream().anyMatch(completion -> completion.slot().taskId() == task);
    }

    private static RuntimeException refusal() {
        return new DatabaseUnavailableException("outcomes", new SQLException("too long", "22001"));
    }

    @Test
    void outcomes_of_two_epochs_are_recorded_each_under_its_own() {
        outcomes.add(run(EPOCH, 1), HandlerOutcome.succeeded(null));
        outcomes.add(run(TestRuns.epoch(3), 2), HandlerOutcome.succeeded(null));
        outcomes.step();
        assertEquals(List.of(1, 1), recorder.batches);
        assertEquals(
                List.of(1L, 3L),
                kept.stream().map(done -> done.epoch().number()).toList());
    }

    @Test
    void a_run_that_is_running_and_ends_in_one_batch_is_written_in_that_order_in_two_statements() {
        Run run = run(EPOCH, 1);
        outcomes.addRunning(run);
        outcomes.add(run, HandlerOutcome.succeeded(null));
        outcomes.step();
        assertEquals(List.of(1, 1), recorder.batches);
        assertEquals(ExecutionState.RUNNING, recorder.running.get(0).state());
        assertEquals(ExecutionState.SUCCEEDED, kept.get(0).state());
    }

    @Test
    void a_run_that_is_only_running_stays_held() {
        Run run = run(EPOCH, 1);
        outcomes.addRunning(run);
        outcomes.step();
        assertTrue(runRegistry.contains(run.slot()));
    }

    @Test
    void the_end_of_a_run_sets_the_next_fire_time_of_a_task_that_follows_it() {
        Run run = new Run(
                EPOCH,
                TestRuns.attempt(7, StoredTasks.START, 1),
                StoredTasks.definition(StoredTasks.DELAY_OF_A_MINUTE),
                0,
                0);
        run.begin(StoredTasks.START * 1000);
        outcomes.add(run, HandlerOutcome.succeeded(null));
        outcomes.step();
        assertEquals(NOW + 60_000, kept.get(0).nextMillis());
        assertArrayEquals(new long[] {7}, readRequests.take(10));
    }

    @Test
    void a_skipped_run_has_an_end_and_no_start() {
        outcomes.add(run(EPOCH, 1), HandlerOutcome.skipped("why"));
        outcomes.step();
        assertEquals(
                new Completion.RunTimes(Long.MAX_VALUE, NOW * 1000), kept.get(0).run());
        assertEquals("why", kept.get(0).text().reason());
    }

    private Run run(Epoch epoch, long task) {
        Run run = StoredTasks.run(epoch, task, StoredTasks.START);
        run.begin(StoredTasks.START * 1000 + 1);
        runRegistry.add(run);
        return run;
    }

    public static RuntimeException outage() {
        DatabaseSettings nowhere =
                new DatabaseSettings("jdbc:postgresql://127.0.0.1:1/none", "none", "", "a", UUID.randomUUID());
        try (DedicatedConnection connection = new DedicatedConnection(nowhere, "nowhere", 1)) {
            return assertThrows(DatabaseUnavailableException.class, () -> connection.run(c -> null));
        }
    }
}
