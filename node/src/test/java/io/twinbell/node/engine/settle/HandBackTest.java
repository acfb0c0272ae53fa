package io.twinbell.node.engine.settle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.PromotedClaims;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.worker.WorkerPool;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.testing.TestDouble;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HandBackTest {
    private static final Epoch EPOCH = TestRuns.epoch(1);
    private static final long NOW = StoredTasks.START;

    private final RunRegistry runRegistry = new RunRegistry(
            RunRegistry.Bounds.of(2000, 0), TestRuns.NO_PRESSURE, new ReadRequests(new Signals<>(EngineEvent.class)));
    private final List<Long> handedBack = new ArrayList<>();
    private final List<Integer> statements = new ArrayList<>();
    private final AtomicInteger givenBack = new AtomicInteger();
    private int failsFromStatement = Integer.MAX_VALUE;
    private final HandBack handBack = new HandBack(
            ledger(),
            new PromotedClaims() {
                @Override
                public void givenBack(Epoch epoch, Slot slot, int attempt) {
                    givenBack.incrementAndGet();
                }
            },
            runRegistry,
            new WorkerPool(1, Ticker.SYSTEM),
            new TimeSources(() -> NOW, Ticker.SYSTEM));

    private Ledger ledger() {
        return TestDouble.of(Ledger.class, (method, arguments) -> {
            assertEquals("handBack", method.getName());
            statements.add(((List<?>) arguments[1]).size());
            if (statements.size() >= failsFromStatement) {
                throw new DatabaseUnavailableException("claims", new SQLException("test", "08006"));
            }
            ((List<?>) arguments[1])
                    .forEach(
                            attempt -> handedBack.add(((Attempt) attempt).slot().taskId()));
            return true;
        });
    }

    private Run claimed(long task, long fireMillis) {
        Run run = StoredTasks.run(EPOCH, task, fireMillis);
        runRegistry.add(run);
        return run;
    }

    @Test
    void what_fires_within_the_kept_time_still_starts_here_and_all_else_is_handed_back() {
        claimed(1, NOW - 1000);
        claimed(2, NOW);
        Run first = claimed(3, NOW + 1);
        Run last = claimed(4, NOW + 100);
        claimed(5, NOW + 101);
        handBack.unstarted(EPOCH, Duration.ofMillis(100));
        assertEquals(List.of(1L, 2L, 5L), handedBack.stream().sorted().toList());
        assertTrue(first.isWaiting() && last.isWaiting());
        assertEquals(2, runRegistry.size());

        assertTrue(first.begin(NOW * 1000));
        handBack.unstarted(EPOCH, Duration.ZERO);
        assertEquals(List.of(1L, 2L, 4L, 5L), handedBack.stream().sorted().toList());
        assertFalse(last.begin(NOW * 1000), "a run that was handed back does not start here");
        assertEquals(List.of(first), runRegistry.of(EPOCH));
    }

    @Test
    void a_run_does_not_overtake_an_earlier_one_of_its_task_that_is_handed_back() {
        claimed(1, NOW - 1);
        claimed(1, NOW + 9);
        Run ofAnother = claimed(2, NOW + 9);
        handBack.unstarted(EPOCH, Duration.ofMillis(20));
        assertEquals(List.of(1L, 1L), handedBack);
        assertTrue(ofAnother.isWaiting());
    }

    @Test
    void thousands_are_handed_back_in_statements_of_five_hundred() {
        for (int task = 1; task <= 1001; task++) {
            claimed(task, NOW - 1);
        }
        handBack.unstarted(EPOCH, Duration.ofMillis(20));
        assertEquals(List.of(500, 500, 1), statements);
        assertEquals(1001, handedBack.stream().distinct().count());
    }

    @Test
    void what_was_written_before_a_failure_counts_as_given_back() {
        for (int task = 1; task <= 501; task++) {
            claimed(task, NOW - 1);
        }
        failsFromStatement = 2;
        assertThrows(DatabaseUnavailableException.class, () -> handBack.unstarted(EPOCH, Duration.ofMillis(20)));
        assertEquals(500, givenBack.get());
    }

    @Test
    void a_run_that_waits_for_a_callback_is_not_kept() {
        String definition = "{\"schedule\":" + StoredTasks.EVERY_MINUTE + ",\"start\":\"2026-01-05T00:00:00.000Z\","
                + "\"handler\":{\"type\":\"http\",\"url\":\"http://127.0.0.1/\",\"method\":\"POST\","
                + "\"completion\":\"CALLBACK\"},\"timeout\":\"PT1M\"}";
        runRegistry.add(new Run(
                EPOCH,
                TestRuns.attempt(1, NOW + 1, 1),
                TaskReader.definition("app", "name", definition, Calendars.NONE),
                0,
                0));
        handBack.unstarted(EPOCH, Duration.ofMillis(100));
        assertEquals(List.of(1L), handedBack);
    }
}
