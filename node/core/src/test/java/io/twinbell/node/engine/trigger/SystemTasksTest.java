package io.twinbell.node.engine.trigger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.Eventually;
import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.worker.WorkerPool;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** System tasks through a real queue, trigger and system worker; only time is virtual. */
class SystemTasksTest {
    private static final long CHECK = SystemTasks.CHANGE_MASTER_CHECK;

    private final long nowMillis = TestRuns.START;
    private final ActionQueue actions = new ActionQueue(10_000, new Signals<>(EngineEvent.class));
    private final Loops loops = new Loops(Ticker.SYSTEM, loop -> {});
    private final SystemTasks tasks = new SystemTasks(actions, () -> nowMillis, loops);
    private final List<Long> ran = new ArrayList<>();
    private final WorkerPool pool = new WorkerPool(1, Ticker.SYSTEM);
    private final Trigger trigger = new Trigger(
            actions,
            new DueInbox(),
            new Signals<>(EngineEvent.class),
            new LookAhead(() -> 0, () -> 10_000),
            pool,
            () -> {});

    @AfterEach
    void stop() {
        pool.stop();
    }

    @Test
    void a_task_runs_again_after_the_delay_that_it_returned() {
        tasks.run(CHECK, check(() -> Duration.ofSeconds(2)));
        assertEquals(2000, millisUntilDue());
    }

    @Test
    void a_task_that_returned_nothing_rests_until_it_is_wanted() {
        tasks.run(CHECK, check(() -> null));
        assertEquals(0, actions.depth());
        tasks.soon(CHECK);
        assertEquals(1, actions.depth());
    }

    @Test
    void a_task_that_throws_whatever_it_may_be_runs_again_soon() {
        for (Throwable thrown : List.of(new IllegalStateException("no database"), new StackOverflowError())) {
            tasks.run(CHECK, check(() -> {
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) thrown;
            }));
            assertEquals(500, millisUntilDue(), thrown.toString());
        }
    }

    @Test
    void a_task_that_is_cancelled_or_rests_after_failures_counts_as_no_stall() {
        tasks.run(CHECK, check(() -> {
            throw new IllegalStateException("the database is not reached");
        }));
        assertEquals(1, tasks.loop(CHECK).state().failures());
        tasks.cancel(CHECK);
        assertEquals(0, tasks.loop(CHECK).state().failures());
        tasks.run(CHECK, check(() -> {
            tasks.loop(CHECK).failed("the database is not reached");
            return null;
        }));
        assertEquals(0, tasks.loop(CHECK).state().failures());
        assertEquals(0, tasks.loop(CHECK).state().stalledNanos());
    }

    @Test
    void a_delay_is_cut_to_three_seconds() {
        tasks.after(CHECK, Duration.ofHours(1));
        assertEquals(3000, millisUntilDue());
    }

    @Test
    void a_wish_during_the_run_is_not_replaced_by_the_runs_own_delay() {
        tasks.run(CHECK, check(() -> {
            tasks.soon(CHECK);
            return Duration.ofSeconds(3);
        }));
        assertEquals(1, actions.depth(), "the wish alone");
        assertEquals(0, millisUntilDue());
    }

    /** The wish comes at the worst moment: after the run has seen that there is none, before it sets its delay. */
    @Test
    void a_wish_at_the_very_end_of_a_run_is_not_replaced_either() throws Exception {
        CountDownLatch clockRead = new CountDownLatch(1);
        CountDownLatch wishMade = new CountDownLatch(1);
        Thread[] runner = new Thread[1];
        SystemTasks raced = new SystemTasks(
                actions,
                () -> {
                    if (Thread.currentThread() == runner[0]) {
                        clockRead.countDown();
                        Eventually.briefly(wishMade);
                    }
                    return nowMillis;
                },
                loops);
        runner[0] = new Thread(() -> raced.run(CHECK, check(() -> Duration.ofSeconds(3))));
        runner[0].start();
        clockRead.await();
        raced.soon(CHECK);
        wishMade.countDown();
        runner[0].join();
        assertEquals(0, millisUntilDue());
    }

    @Test
    void wishes_during_a_run_make_it_run_once_more_however_many_they_are() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch twice = new CountDownLatch(2);
        SystemTasks.Work work = check(() -> {
            ran.add(nowMillis);
            running.countDown();
            assertTrue(Eventually.isOver(mayEnd));
            twice.countDown();
            return null;
        });
        pool.start(() -> run -> {}, id -> tasks.run(id, work));
        wish();
        assertTrue(Eventually.isOver(running));
        for (int i = 0; i < 200; i++) {
            wish();
        }
        mayEnd.countDown();
        assertTrue(Eventually.isOver(twice));
        pool.stop();
        assertEquals(2, ran.size());
    }

    @Test
    void a_cancelled_task_does_not_run() {
        tasks.after(CHECK, Duration.ofSeconds(1));
        tasks.cancel(CHECK);
        trigger.step(nowMillis * 1_000_000);
        assertEquals(0, trigger.heapSize());
    }

    private static SystemTasks.Work check(Supplier<Duration> check) {
        return new SystemTasks.Work(() -> null, () -> null, check, () -> null);
    }

    private void wish() {
        tasks.soon(CHECK);
        trigger.step(nowMillis * 1_000_000);
    }

    /** When the check is due once the trigger has taken every action, counted from now. */
    private long millisUntilDue() {
        TaskHeap heap = new TaskHeap();
        for (HeapAction action = actions.poll(); action != null; action = actions.poll()) {
            HeapAction.Put put = (HeapAction.Put) action;
            heap.put(put.ids()[0], put.times()[0], put.priorities()[0]);
        }
        return heap.timeOf(CHECK) - nowMillis;
    }
}
