package io.twinbell.node.engine.worker;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.engine.Eventually;
import io.twinbell.node.engine.KeptRecorder;
import io.twinbell.node.engine.PromotedClaims;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.node.engine.TestHandlers;
import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.FirstFire;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.DeadlineThread;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestDouble;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers of every kind on the real workers. Two workers; each test ends by signals. */
@Timeout(30)
class RunExecutorTest {
    private static final Epoch EPOCH = TestRuns.epoch(1);
    private static final String SHORT_TIMEOUT = ",\"timeout\":\"PT0.05S\"";

    private final BlockingQueue<Completion> ended = new LinkedBlockingQueue<>();
    private final MetricRegistry registry = new MetricRegistry();
    private final NodeMetrics metrics = new NodeMetrics(registry);
    private final HandTicker ticker = new HandTicker();
    private final TrustWindow trust = new TrustWindow(ticker, ticker, () -> Instant.ofEpochSecond(0, ticker.nanos()));
    private final Signals<EngineEvent> signals = new Signals<>(EngineEvent.class);
    private final ActionQueue actions = new ActionQueue(100, signals);
    private final ReadRequests readRequests = new ReadRequests(signals);
    private final RunRegistry runRegistry =
            new RunRegistry(RunRegistry.Bounds.of(100, 0), TestRuns.NO_PRESSURE, readRequests);
    private final Deadlines deadlines = new DeadlineThread();
    private final OutcomeRecorder outcomes = new OutcomeRecorder(
            new KeptRecorder(ended),
            ReportWriter.NONE,
            ClaimJournal.NEVER_PROMOTED,
            runRegistry,
            new TimeSources(() -> StoredTasks.START, Ticker.SYSTEM),
            (epoch, writes) -> {},
            metrics,
            signals,
            readRequests);
    private volatile TaskHandler handler = context -> null;
    private final Handlers handlers = TestHandlers.of(context -> handler.run(context));
    private volatile long nowMillis = StoredTasks.START + 1;
    private volatile Set<Long> draining = Set.of();
    private boolean isSuperseded;
    private int asked;
    private final PromotedClaims claims = new PromotedClaims();
    private final WorkerPool workers = new WorkerPool(2, Ticker.SYSTEM);
    private final RunExecutor executor = new RunExecutor(
            new StartCheck(trust, register(), (epoch, writes) -> metrics.fenced(writes), claims),
            new DrainingTasks(recovery(() -> draining, Set::of), runRegistry, () -> nowMillis),
            runRegistry,
            handlers,
            workers,
            outcomes,
            actions,
            readRequests,
            new ReplacedExecutions(signals),
            new CallbackRuns(runRegistry, signals),
            () -> nowMillis,
            deadlines,
            new FirstFire((epoch, micros) -> {}));
    private final StepThread recorder = new StepThread(metrics.loops().loop("recorder"), outcomes::step);
    private final CountDownLatch testIsOver = new CountDownLatch(1);
    private long lastTask;

    RunExecutorTest() {
        signals.on(EngineEvent.OUTCOME_ADDED, recorder::wake);
        trust.proven(trust.before(EPOCH));
        workers.start(() -> executor::perform, id -> {});
        recorder.start();
    }

    @AfterEach
    void stop() {
        testIsOver.countDown();
        workers.stop();
        recorder.close();
        deadlines.close();
        handlers.close();
    }

    @Test
    void a_handlers_return_value_is_its_output() throws Exception {
        handler = context -> "done " + context.idempotencyKey() + " " + context.attempt() + " " + context.epoch();
        Run run = starts();
        Completion completion = next();
        assertEquals(ExecutionState.SUCCEEDED, completion.state());
        assertEquals(
                "done " + run.slot().idempotencyKey() + " 1 1",
                completion.text().output());
        await().until(() -> runRegistry.size() == 0);
    }

    @Test
    void a_run_waits_again_where_the_clock_was_set_back_before_its_fire_time() {
        nowMillis = StoredTasks.START - 2000;
        Run run = StoredTasks.run(EPOCH, 1, StoredTasks.START);
        runRegistry.add(run);
        executor.perform(run);
        assertEquals(new HeapAction.Start(List.of(run)), actions.poll());
        assertTrue(run.isWaiting());
    }

    @Test
    void a_claim_that_a_promoted_database_lacks_does_not_start_and_its_task_is_read_again() {
        Run run = StoredTasks.run(EPOCH, 1, StoredTasks.START);
        runRegistry.add(run);
        claims.promote(ClaimJournal.Answer.VANISHED);
        executor.perform(run);
        assertFalse(run.hasStarted());
        assertArrayEquals(new long[] {1}, readRequests.take(10));
        assertEquals(0, runRegistry.size());
    }

    @Test
    void a_handler_that_returns_nothing_has_no_output() throws Exception {
        starts();
        assertNull(next().text().output());
    }

    @Test
    void a_long_output_is_cut_at_8_KiB() throws Exception {
        handler = context -> "x".repeat(100_000);
        starts();
        assertEquals(8192, next().text().output().length());
    }

    @Test
    void whatever_a_handler_throws_is_its_own_failure_with_its_stack() throws Exception {
        List<TaskHandler> thrower = List.of(
                context -> {
                    throw new IllegalStateException("no money");
                },
                context -> {
                    throw new AssertionError("an Error");
                },
                context -> endless(0),
                context -> {
                    throw new OutOfMemoryError("pretended");
                });
        for (TaskHandler throwing : thrower) {
            handler = throwing;
            starts();
            Completion completion = next();
            assertEquals(ExecutionState.FAILED, completion.state());
            assertTrue(
                    completion.text().error().contains("at io.twinbell"),
                    completion.text().error());
            assertTrue(completion.text().error().length() <= 8192);
        }
        othersStillRun();
    }

    @Test
    void an_exception_that_cannot_even_be_described_fails_its_run_and_nothing_else() throws Exception {
        handler = context -> {
            throw new IllegalStateException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    throw new UnsupportedOperationException("no message either");
                }
            };
        };
        starts();
        assertEquals(ExecutionState.FAILED, next().state());
        othersStillRun();
    }

    @Test
    void a_result_that_cannot_be_written_down_fails_its_run() throws Exception {
        handler = context -> new Object() {
            @Override
            public String toString() {
                throw new UnsupportedOperationException("not printable");
            }
        };
        starts();
        assertEquals(ExecutionState.FAILED, next().state());
    }

    @Test
    void a_handler_that_never_returns_and_has_no_timeout_occupies_its_worker_and_no_other() throws Exception {
        handler = context -> hangStubbornly();
        starts();
        await().until(() -> workers.active() == 1);
        othersStillRun();
    }

    @Test
    void a_timeout_interrupts_a_handler_that_listens_and_its_worker_goes_on() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        handler = context -> {
            try {
                testIsOver.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return "too late";
        };
        starts(SHORT_TIMEOUT);
        Completion completion = next();
        assertEquals(ExecutionState.TIMED_OUT, completion.state());
        assertEquals("did not end within PT0.05S", completion.text().error());
        assertTrue(Eventually.isOver(interrupted));
        othersStillRun();
        assertTrue(ended.isEmpty(), "what it returns afterwards is not recorded");
    }

    @Test
    void threads_of_handlers_that_ignore_their_timeout_are_abandoned_and_replaced() throws Exception {
        handler = context -> hangStubbornly();
        for (int i = 0; i < 2; i++) {
            starts(SHORT_TIMEOUT);
        }
        for (int i = 0; i < 2; i++) {
            assertEquals(ExecutionState.TIMED_OUT, next().state());
        }
        othersStillRun();
        assertEquals(2, workers.size());
    }

    @Test
    void the_execution_says_that_its_thread_was_abandoned() throws Exception {
        handler = context -> spin();
        starts(SHORT_TIMEOUT);
        Completion completion = next();
        assertEquals(ExecutionState.TIMED_OUT, completion.state());
        assertEquals(
                "did not end within PT0.05S; the handler did not react to the interrupt within PT1S, and its thread was"
                        + " abandoned",
                completion.text().error());
        assertEquals(1, workers.abandoned());
        othersStillRun();
        testIsOver.countDown();
        await().until(() -> workers.abandoned() == 0);
    }

    @Test
    void a_pool_gives_up_so_many_threads_and_no_more_until_their_handlers_end() {
        WorkerPool pool = new WorkerPool(1, Ticker.SYSTEM);
        pool.start(() -> run -> Eventually.stubbornlyFor(testIsOver), id -> {});
        for (int i = 0; i < 16; i++) {
            assertTrue(pool.replaceWorkerOf(stuckIn(pool, i)));
        }
        Run last = stuckIn(pool, 16);
        assertFalse(pool.replaceWorkerOf(last), "it stays with its handler");
        assertEquals(16, pool.abandoned());
        testIsOver.countDown();
        await().until(() -> pool.abandoned() == 0 && pool.active() == 0);
        pool.stop();
    }

    private static Run stuckIn(WorkerPool pool, int task) {
        Run run = StoredTasks.run(task, StoredTasks.START);
        pool.run(List.of(run));
        await().until(() -> pool.active() == 1);
        return run;
    }

    @Test
    void an_attempt_that_runs_out_of_time_is_tried_again() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        handler = context -> {
            try {
                testIsOver.await();
            } finally {
                interrupted.countDown();
            }
            return null;
        };
        starts(SHORT_TIMEOUT, ",\"retry\":{\"maxAttempts\":2,\"jitter\":0}");
        Completion completion = next();
        assertEquals(ExecutionState.RETRYING, completion.state());
        assertEquals(ExecutionState.TIMED_OUT, completion.retry().failure());
        assertEquals(nowMillis + 1000, completion.retry().dueMillis());
        assertTrue(Eventually.isOver(interrupted), "no next attempt before this one has let go");
    }

    @Test
    void a_hand_over_leaves_an_interrupted_rerunnable_run_to_the_successor() throws Exception {
        CountDownLatch running = new CountDownLatch(2);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        Run reruns = starts(",\"orphan\":\"RERUN\"");
        Run drops = starts();
        assertTrue(Eventually.isOver(running));
        executor.release(reruns);
        executor.release(drops);
        assertEquals(drops.slot(), next().slot());
        await().until(() -> runRegistry.size() == 0);
        assertTrue(ended.isEmpty(), "no outcome: it is an orphan");
    }

    @Test
    void a_handler_that_ends_with_the_interruption_of_a_stop_was_interrupted() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        Run run = starts();
        assertTrue(Eventually.isOver(running));
        executor.stop(run);
        Completion completion = next();
        assertEquals(ExecutionState.FAILED, completion.state());
        assertEquals("INTERRUPTED", completion.text().errorCode());
    }

    @Test
    void an_interruption_that_no_stop_has_caused_is_the_handlers_own_failure() throws Exception {
        handler = context -> {
            throw new InterruptedException();
        };
        starts();
        assertEquals("HANDLER_EXCEPTION", next().text().errorCode());
    }

    @Test
    void a_run_that_succeeds_despite_its_interruption_has_succeeded() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            Eventually.stubbornlyFor(testIsOver);
            return "done";
        };
        Run run = starts(",\"orphan\":\"RERUN\"");
        assertTrue(Eventually.isOver(running));
        executor.release(run);
        testIsOver.countDown();
        assertEquals(ExecutionState.SUCCEEDED, next().state());
    }

    @Test
    void threads_of_handlers_that_ignore_an_interrupt_from_outside_are_replaced_too() throws Exception {
        CountDownLatch bothRun = new CountDownLatch(2);
        handler = context -> {
            bothRun.countDown();
            return hangStubbornly();
        };
        List<Run> stuck = List.of(starts(), starts());
        assertTrue(Eventually.isOver(bothRun));
        stuck.forEach(executor::stop);
        for (int i = 0; i < stuck.size(); i++) {
            assertEquals(ExecutionState.FAILED, next().state(), "given up with its thread, so its task may run again");
        }
        othersStillRun();
    }

    @Test
    void an_interrupt_for_one_run_does_not_hit_the_next_on_the_same_thread() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            testIsOver.await();
            return null;
        };
        Run run = starts();
        assertTrue(Eventually.isOver(running));
        run.stop();
        assertEquals(ExecutionState.FAILED, next().state());
        othersStillRun();
    }

    @Test
    void a_slot_is_skipped_while_an_earlier_one_of_its_task_runs() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        handler = context -> {
            running.countDown();
            mayEnd.await();
            return null;
        };
        starts();
        assertTrue(Eventually.isOver(running));
        Run second = StoredTasks.run(EPOCH, lastTask, StoredTasks.START + 1);
        runRegistry.add(second);
        workers.run(List.of(second));
        Completion skipped = next();
        assertEquals(ExecutionState.SKIPPED, skipped.state());
        assertEquals(
                "an earlier execution of this task was still running",
                skipped.text().reason());
        assertEquals(Long.MAX_VALUE, skipped.run().startedMicros());
        mayEnd.countDown();
        assertEquals(ExecutionState.SUCCEEDED, next().state());
    }

    @Test
    void a_slot_starts_if_the_run_at_the_former_master_has_just_ended() throws Exception {
        runRegistry.overlap().setRunningElsewhere(Set.of(lastTask + 1));
        starts();
        assertEquals(ExecutionState.SUCCEEDED, next().state());
    }

    @Test
    void a_slot_is_skipped_while_the_former_master_runs_an_earlier_one_of_its_task() throws Exception {
        draining = Set.of(lastTask + 1);
        runRegistry.overlap().setRunningElsewhere(draining);
        starts();
        assertEquals(ExecutionState.SKIPPED, next().state());
    }

    @Test
    void one_look_at_what_a_former_master_runs_serves_all_slots_that_were_due_before_it() {
        AtomicInteger looks = new AtomicInteger();
        Supplier<Set<Long>> source = () -> {
            looks.incrementAndGet();
            return Set.of(1L, 2L);
        };
        DrainingTasks tasks = new DrainingTasks(recovery(source, Set::of), runRegistry, () -> StoredTasks.START + 5);
        runRegistry.overlap().setRunningElsewhere(Set.of(1L, 2L));
        assertFalse(tasks.hasEnded(StoredTasks.run(1, StoredTasks.START)));
        assertFalse(tasks.hasEnded(StoredTasks.run(2, StoredTasks.START + 4)));
        assertEquals(1, looks.get());
        assertFalse(tasks.hasEnded(StoredTasks.run(3, StoredTasks.START + 4)), "it never counted as running there");
        assertFalse(tasks.hasEnded(StoredTasks.run(1, StoredTasks.START + 6)));
        assertEquals(2, looks.get());
    }

    @Test
    void a_task_counts_as_running_at_the_former_master_while_the_database_does_not_answer() {
        AtomicInteger looks = new AtomicInteger();
        Supplier<Set<Long>> silent = () -> {
            looks.incrementAndGet();
            throw new DatabaseUnavailableException("gate", new SQLException("test", "08006"));
        };
        DrainingTasks tasks = new DrainingTasks(recovery(silent, Set::of), runRegistry, () -> StoredTasks.START + 1);
        runRegistry.overlap().setRunningElsewhere(Set.of(1L));
        assertFalse(tasks.hasEnded(StoredTasks.run(1, StoredTasks.START + 1)));
        assertFalse(tasks.hasEnded(StoredTasks.run(1, StoredTasks.START + 1)));
        assertEquals(1, looks.get(), "those that wait do not wait for the database in turn");
    }

    @Test
    void a_slot_does_not_start_beside_an_earlier_one_that_the_former_master_will_have_retried() {
        Run earlier = StoredTasks.run(1, StoredTasks.START);
        DrainingTasks tasks = new DrainingTasks(
                recovery(Set::of, () -> Set.of(earlier.slot())), runRegistry, () -> StoredTasks.START + 1);
        runRegistry.overlap().setRunningElsewhere(Set.of(1L));
        Run later = StoredTasks.run(1, StoredTasks.START + 1);
        runRegistry.add(later);
        assertFalse(runRegistry.overlap().tryEnter(later));
        assertTrue(tasks.hasEnded(later), "it runs no more");
        assertFalse(runRegistry.overlap().tryEnter(later), "but will run again");
    }

    /** The two questions that the executor asks of the ledger. */
    private static RecoveryStore recovery(Supplier<Set<Long>> draining, Supplier<Set<Slot>> retrying) {
        return TestDouble.of(RecoveryStore.class, (method, arguments) -> switch (method.getName()) {
            case "tasksThatDrain" -> draining.get();
            case "retrying" -> retrying.get();
            default -> throw new AssertionError(method);
        });
    }

    @Test
    void a_superseded_run_is_let_go_without_an_outcome() {
        isSuperseded = true;
        ticker.pass(Duration.ofSeconds(5));
        Run run = starts();
        await().until(() -> runRegistry.size() == 0);
        assertFalse(run.hasStarted(), "it never began");
        assertTrue(ended.isEmpty());
        assertEquals(1, metrics.fencedWrites());
    }

    @Test
    void a_superseded_run_counts_as_waiting_no_more() {
        isSuperseded = true;
        ticker.pass(Duration.ofSeconds(5));
        AtomicInteger waiting = new AtomicInteger();
        Run run = StoredTasks.run(EPOCH, 1, StoredTasks.START);
        run.countsIn(waiting);
        executor.perform(run);
        assertEquals(0, waiting.get(), "or a node that is master again would find its workers taken");
    }

    @Test
    void a_run_that_was_handed_back_neither_starts_nor_asks_for_authority() {
        isSuperseded = true;
        ticker.pass(Duration.ofSeconds(5));
        Run run = StoredTasks.run(EPOCH, 1, StoredTasks.START);
        run.handBack();
        executor.perform(run);
        assertEquals(0, asked);
        assertEquals(0, metrics.fencedWrites(), "an orderly hand-over fences nobody");
    }

    @Test
    void handed_back_runs_take_no_room_from_what_is_claimed_later() {
        WorkerPool idle = new WorkerPool(1, Ticker.SYSTEM);
        List<Run> unstarted = IntStream.range(0, 3)
                .mapToObj(i -> StoredTasks.run(i + 1, StoredTasks.START))
                .toList();
        idle.run(unstarted);
        unstarted.forEach(Run::handBack);
        idle.forgetHandedBack();
        idle.run(unstarted.subList(0, 1));
        assertEquals(0, idle.queued());
    }

    /** An endless loop that looks at nothing but the test's end. */
    private Object spin() {
        while (testIsOver.getCount() > 0) {
            Thread.onSpinWait();
        }
        return null;
    }

    private Object hangStubbornly() {
        Eventually.stubbornlyFor(testIsOver);
        return null;
    }

    private static int endless(int depth) {
        return endless(depth + 1) + 1;
    }

    /** Both workers take what comes next. */
    private void othersStillRun() throws Exception {
        handler = context -> "fine";
        for (int i = 0; i < 4; i++) {
            starts();
            assertEquals("fine", next().text().output());
        }
    }

    private Run starts(String... more) {
        Run run = StoredTasks.run(EPOCH, ++lastTask, StoredTasks.START, more);
        runRegistry.add(run);
        workers.run(List.of(run));
        return run;
    }

    private Completion next() throws InterruptedException {
        Completion completion = ended.poll(10, TimeUnit.SECONDS);
        assertFalse(completion == null, "no outcome came");
        return completion;
    }

    private EpochRegister register() {
        return TestDouble.of(EpochRegister.class, (method, arguments) -> {
            asked++;
            return !isSuperseded;
        });
    }
}
