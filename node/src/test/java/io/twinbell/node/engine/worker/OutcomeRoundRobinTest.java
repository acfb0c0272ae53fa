package io.twinbell.node.engine.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.engine.KeptRecorder;
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
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutcomeRoundRobinTest {
    private static final long NOW = StoredTasks.START + 5000;
    private static final long OTHER = 1_000_000;
    private static final int ROWS = 1000;
    private static final String TWENTY_FOLLOWERS = IntStream.range(0, 20)
            .mapToObj(i -> "{\"app\":\"chained\",\"name\":\"f" + i + "\"}")
            .collect(Collectors.joining(",", ",\"then\":[", "]"));

    private final List<Completion> kept = new ArrayList<>();
    private final KeptRecorder recorder = new KeptRecorder(kept);
    private final ReadRequests readRequests = new ReadRequests(new Signals<>(EngineEvent.class));
    private final RunRegistry runRegistry =
            new RunRegistry(RunRegistry.Bounds.of(20_000, 0), TestRuns.NO_PRESSURE, readRequests);
    private final HandTicker ticker = new HandTicker();
    private final OutcomeRecorder outcomes = new OutcomeRecorder(
            recorder,
            ReportWriter.NONE,
            ClaimJournal.NEVER_PROMOTED,
            runRegistry,
            new TimeSources(() -> NOW, ticker),
            (epoch, writes) -> {},
            new NodeMetrics(new MetricRegistry(), ticker),
            new Signals<>(EngineEvent.class),
            readRequests);

    @Test
    void an_outcome_of_another_app_is_in_the_next_statement_whatever_chains_wait() {
        addChained("chained", 1, 5000);
        outcomes.step();
        outcomes.add(run("other", OTHER), HandlerOutcome.succeeded(null));
        outcomes.step();
        assertEquals(2, recorder.batches.size());
        assertTrue(keptTasks().contains(OTHER), "in the second of more than a hundred statements");
    }

    @Test
    void an_outcome_that_nobody_follows_does_not_wait_for_the_chains_of_its_own_app() {
        addChained("chained", 1, 5000);
        outcomes.step();
        outcomes.add(run("chained", OTHER), HandlerOutcome.succeeded(null));
        outcomes.step();
        assertTrue(keptTasks().contains(OTHER));
    }

    @Test
    void an_outcome_of_another_app_does_not_wait_for_a_flood_without_chains_either() {
        for (int i = 1; i <= 10_000; i++) {
            outcomes.add(run("flood", i), HandlerOutcome.succeeded(null));
        }
        outcomes.step();
        outcomes.add(run("other", OTHER), HandlerOutcome.succeeded(null));
        outcomes.step();
        assertEquals(List.of(ROWS, ROWS), recorder.batches);
        assertTrue(keptTasks().contains(OTHER));
    }

    @Test
    void a_statement_enters_no_more_rows_for_followers_than_it_would_without() {
        addChained("chained", 1, 400);
        while (outcomes.step() == 0) {}
        assertEquals(400, kept.size());
        int most = recorder.batches.stream().mapToInt(Integer::intValue).max().orElseThrow();
        assertEquals(ROWS / 21 + 1, most);
    }

    @Test
    void chains_get_half_of_each_statement_beside_outcomes_without_followers() {
        addChained("chained", 1, 5000);
        for (int i = 0; i < 5000; i++) {
            outcomes.add(run("other", OTHER + i), HandlerOutcome.succeeded(null));
        }
        outcomes.step();
        long chained = keptTasks().stream().filter(task -> task < OTHER).count();
        assertEquals(ROWS / 2 / 21 + 1, chained);
        assertTrue(kept.size() - chained >= ROWS / 2 - 21, kept.size() + " with " + chained);
    }

    @Test
    void a_backlog_that_is_recorded_step_by_step_makes_progress() {
        addChained("chained", 1, 5000);
        ticker.pass(Duration.ofSeconds(20));
        outcomes.step();
        assertEquals(ticker.nanos(), runRegistry.recordedNanos());
    }

    @Test
    void a_run_after_a_failure_weighs_as_one_after_failures() {
        for (int i = 1; i <= 500; i++) {
            outcomes.add(chained("chained", i, StoredTasks.START), HandlerOutcome.failed("NO", "no", null));
        }
        outcomes.step();
        assertEquals(List.of(500), recorder.batches, "only successes are followed");
    }

    @Test
    void outcomes_of_one_task_keep_their_order_although_it_lost_its_followers_meanwhile() {
        addChained("chained", 10, 200);
        outcomes.add(chained("chained", 7, StoredTasks.START), HandlerOutcome.succeeded("first"));
        outcomes.add(run("chained", 7, StoredTasks.START + 1000, ""), HandlerOutcome.succeeded("second"));
        outcomes.add(run("chained", 7, StoredTasks.START + 2000, ""), HandlerOutcome.succeeded("third"));
        while (outcomes.step() == 0) {}
        assertEquals(
                List.of("first", "second", "third"),
                kept.stream()
                        .filter(done -> done.slot().taskId() == 7)
                        .map(done -> done.text().output())
                        .toList());
    }

    @Test
    void a_run_of_a_chain_is_marked_running_before_its_end_is_recorded() {
        addChained("chained", 10, 200);
        Run slow = chained("chained", 7, StoredTasks.START);
        outcomes.addRunning(slow);
        outcomes.add(slow, HandlerOutcome.succeeded(null));
        while (outcomes.step() == 0) {}
        assertEquals(ExecutionState.RUNNING, recorder.running.get(0).state());
        assertTrue(keptTasks().contains(7L));
    }

    @Test
    void a_queue_that_was_empty_gets_no_more_than_its_turns() {
        OutcomeRoundRobin turns = new OutcomeRoundRobin();
        for (int i = 1; i <= 100; i++) {
            turns.add(ended("early", i));
        }
        for (int i = 0; i < 50; i++) {
            turns.poll();
        }
        for (int i = 0; i < 100; i++) {
            turns.add(ended("late", OTHER + i));
        }
        long late = IntStream.range(0, 20)
                .filter(i -> turns.poll().taskId() >= OTHER)
                .count();
        assertEquals(10, late);
    }

    private PendingRecord ended(String app, long task) {
        return new PendingRecord(run(app, task), HandlerOutcome.succeeded(null), NOW * 1000);
    }

    private void addChained(String app, long firstTask, int count) {
        for (int i = 0; i < count; i++) {
            outcomes.add(chained(app, firstTask + i, StoredTasks.START), HandlerOutcome.succeeded(null));
        }
    }

    private List<Long> keptTasks() {
        return kept.stream().map(completion -> completion.slot().taskId()).toList();
    }

    private Run chained(String app, long task, long fireMillis) {
        return run(app, task, fireMillis, TWENTY_FOLLOWERS);
    }

    private Run run(String app, long task) {
        return run(app, task, StoredTasks.START, "");
    }

    private Run run(String app, long task, long fireMillis, String more) {
        Attempt attempt = new Attempt(new Slot(task, fireMillis), app, "name", 1, 1, "a", List.of());
        Run run = new Run(TestRuns.epoch(1), attempt, StoredTasks.definition(StoredTasks.EVERY_MINUTE, more), 0, 0);
        run.begin(fireMillis * 1000 + 1);
        runRegistry.add(run);
        return run;
    }
}
