package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.loop.Signals;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RunRegistryTest {

    private final ReadRequests readRequests = new ReadRequests(new Signals<>(EngineEvent.class));
    private final RunRegistry runRegistry =
            new RunRegistry(RunRegistry.Bounds.of(2, 0), TestRuns.NO_PRESSURE, readRequests);

    @Test
    void no_more_is_claimed_than_its_text_has_room_for() {
        RunRegistry few = new RunRegistry(new RunRegistry.Bounds(100, 5000, 0), TestRuns.NO_PRESSURE, readRequests);
        Run small = runOf(1, 2000);
        Run large = runOf(2, 4000);
        assertEquals(100, few.room());
        few.add(small);
        few.add(small);
        assertEquals(1, few.room(), "another one of that length is well within, a second is not");
        few.add(large);
        assertEquals(0, few.room());
        few.remove(small);
        few.remove(small);
        assertEquals(0, few.room(), "another one of that length would be too much");
        few.remove(large);
        assertEquals(100, few.room(), "what is gone takes no room, however often it goes");
        few.add(large);
        few.add(runOf(2, 6000));
        assertEquals(0, few.room(), "another run of the slot is in its place");
        few.remove(large);
        assertEquals(0, few.room(), "and is not gone with it");
    }

    private static Run runOf(long task, int length) {
        return new Run(
                TestRuns.epoch(1), TestRuns.attempt(task, 1000, 1), TestRuns.definition(Overlap.SKIP), length, 0);
    }

    /** Only what is held starts. */
    private boolean enters(Run run) {
        if (run.ofTask() == null) {
            runRegistry.add(run);
        }
        return runRegistry.overlap().tryEnter(run);
    }

    @Test
    void a_task_that_skips_runs_once_at_a_time() {
        Run first = TestRuns.run(1, 1000);
        assertTrue(enters(first));
        assertFalse(enters(TestRuns.run(1, 2000)));
        assertTrue(enters(TestRuns.run(2, 2000)), "another task is not concerned");
        runRegistry.exit(first);
        assertTrue(enters(TestRuns.run(1, 3000)));
    }

    @Test
    void a_task_that_allows_it_runs_beside_itself_and_counts_every_run() {
        Run first = TestRuns.run(TestRuns.epoch(1), 1, 1000, Overlap.ALLOW);
        Run second = TestRuns.run(TestRuns.epoch(1), 1, 2000, Overlap.ALLOW);
        assertTrue(enters(first));
        assertTrue(enters(second));
        runRegistry.exit(first);
        assertFalse(enters(TestRuns.run(1, 3000)), "edited to skip meanwhile: one still runs");
        runRegistry.exit(second);
        assertTrue(enters(TestRuns.run(1, 3000)));
    }

    @Test
    void a_second_attempt_that_has_to_wait_goes_before_newer_slots() {
        Run running = TestRuns.run(1, 2000);
        Run again = TestRuns.again(1, 1000, 2);
        Run newer = TestRuns.run(1, 3000);
        runRegistry.add(again);
        assertTrue(enters(running));
        assertFalse(enters(again));
        runRegistry.exit(running);
        assertFalse(enters(newer), "its turn comes after the promised one");
        assertTrue(enters(again));
        runRegistry.exit(again);
        assertTrue(enters(newer));
    }

    @Test
    void a_promise_goes_with_the_run_that_it_was_made_to() {
        Run running = TestRuns.run(1, 2000);
        Run again = TestRuns.again(1, 1000, 2);
        runRegistry.add(again);
        enters(running);
        enters(again);
        runRegistry.remove(again);
        runRegistry.exit(running);
        assertTrue(enters(TestRuns.run(1, 3000)));
    }

    @Test
    void a_run_that_the_old_master_still_finishes_counts_as_running() {
        runRegistry.overlap().setRunningElsewhere(Set.of(1L));
        assertFalse(enters(TestRuns.run(1, 1000)));
        assertTrue(enters(TestRuns.run(TestRuns.epoch(1), 1, 1000, Overlap.ALLOW)));
        runRegistry.overlap().setRunningElsewhere(Set.of());
        assertTrue(enters(TestRuns.run(2, 1000)));
    }

    @Test
    void room_is_what_the_bound_leaves_and_never_negative() {
        Run first = TestRuns.run(1, 1000);
        runRegistry.add(first);
        assertEquals(1, runRegistry.room());
        runRegistry.add(TestRuns.run(2, 1000));
        runRegistry.add(TestRuns.run(3, 1000));
        assertEquals(0, runRegistry.room());
        runRegistry.remove(first);
        assertEquals(0, runRegistry.room());
    }

    @Test
    void a_run_is_removed_by_itself_and_not_by_another_attempt_of_its_slot() {
        Run old = TestRuns.run(TestRuns.epoch(1), 1, 1000);
        Run again = TestRuns.run(TestRuns.epoch(3), 1, 1000);
        runRegistry.add(old);
        runRegistry.add(again);
        runRegistry.remove(old);
        assertTrue(runRegistry.contains(again.slot()));
        assertEquals(List.of(again), runRegistry.of(TestRuns.epoch(3)));
        assertFalse(runRegistry.hasAny(TestRuns.epoch(1)));
    }

    @Test
    void a_task_of_which_nothing_is_left_is_forgotten_and_begins_anew() {
        for (int round = 0; round < 2; round++) {
            Run run = TestRuns.run(1, 1000 + round);
            assertTrue(enters(run));
            runRegistry.exit(run);
            assertEquals(List.of(run), runRegistry.of(1));
            runRegistry.remove(run);
            assertEquals(List.of(), runRegistry.of(1));
            assertEquals(0, runRegistry.taskCount());
        }
    }

    @Test
    void a_run_that_goes_on_after_it_was_removed_is_still_in_the_way() {
        Run gone = TestRuns.run(1, 1000);
        assertTrue(enters(gone));
        runRegistry.remove(gone);
        Run next = TestRuns.run(1, 2000);
        assertFalse(enters(next));
        runRegistry.exit(gone);
        assertTrue(enters(next));
        runRegistry.exit(next);
        runRegistry.remove(next);
        assertEquals(0, runRegistry.taskCount());
    }

    /** One task, many threads: each adds a run, starts it if it may, and lets it go. */
    @Test
    void at_most_one_run_of_a_task_that_skips_is_in_at_a_time_whoever_comes_and_goes() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger entered = new AtomicInteger();
        AtomicInteger fireMillis = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> ends = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            ends.add(threads.submit(() -> {
                for (int i = 0; i < 5000; i++) {
                    Run run = TestRuns.run(1, fireMillis.incrementAndGet());
                    runRegistry.add(run);
                    if (runRegistry.overlap().tryEnter(run)) {
                        entered.incrementAndGet();
                        assertEquals(1, inside.incrementAndGet());
                        inside.decrementAndGet();
                        runRegistry.exit(run);
                    }
                    runRegistry.remove(run);
                }
            }));
        }
        for (Future<?> end : ends) {
            end.get();
        }
        threads.shutdown();
        assertTrue(entered.get() > 0);
        assertEquals(0, runRegistry.taskCount());
        assertEquals(List.of(), runRegistry.of(1));
    }
}
