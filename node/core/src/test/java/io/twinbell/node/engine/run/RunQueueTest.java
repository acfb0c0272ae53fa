package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs that wait for workers, with many of both. */
@Timeout(30)
class RunQueueTest {
    private static final int WORKERS = 16;
    /** Two of sixteen workers are kept for others. */
    private static final int MOST_OF_APP = 14;

    private long nanos;
    private final RunQueue queue = new RunQueue(WORKERS, () -> nanos);
    private final RunQueue.Taker taker = queue.taker();

    @Test
    void the_most_urgent_is_taken_first() throws InterruptedException {
        List<Run> runs = new ArrayList<>(LongStream.range(0, 500)
                .mapToObj(i -> TestRuns.run(i + 1, TestRuns.START + i / 3))
                .toList());
        Collections.shuffle(runs, new Random(1));
        queue.addAll(runs);
        long last = Long.MIN_VALUE;
        for (int i = 0; i < 500; i++) {
            long urgency = taker.take().urgency();
            assertFalse(urgency < last, "after " + i);
            last = urgency;
        }
        assertEquals(0, queue.size());
    }

    @Test
    void a_prepared_run_is_taken_in_its_order_once_it_is_added() throws InterruptedException {
        for (List<Run> waiting : List.of(List.<Run>of(), List.of(TestRuns.run(7, TestRuns.START + 1)))) {
            queue.addAll(waiting);
            queue.prepare(List.of(TestRuns.run(8, TestRuns.START + 2)));
            queue.prepare(List.of(TestRuns.run(9, TestRuns.START)));
            assertEquals(waiting.size(), queue.size());
            queue.addPrepared();
            assertEquals(2 + waiting.size(), queue.size());
            assertEquals(9, taker.take().slot().taskId());
            for (Run run : waiting) {
                assertEquals(run, taker.take());
            }
            assertEquals(8, taker.take().slot().taskId());
            queue.addPrepared();
            assertEquals(0, queue.size());
        }
    }

    @Test
    void a_run_handed_back_while_prepared_is_forgotten_too() {
        Run run = TestRuns.run(1, TestRuns.START);
        queue.prepare(List.of(run, TestRuns.run(2, TestRuns.START)));
        run.handBack();
        queue.forgetHandedBack();
        queue.addPrepared();
        assertEquals(1, queue.size());
    }

    @Test
    void a_run_handed_back_is_forgotten_and_the_rest_keep_their_order() throws InterruptedException {
        List<Run> runs = LongStream.range(0, 100)
                .mapToObj(i -> TestRuns.run(i + 1, TestRuns.START + 99 - i))
                .toList();
        queue.addAll(runs);
        runs.stream().filter(run -> run.slot().taskId() % 2 == 0).forEach(Run::handBack);
        queue.forgetHandedBack();
        assertEquals(50, queue.size());
        for (long id = 99; id > 0; id -= 2) {
            assertEquals(id, taker.take().slot().taskId());
        }
    }

    @Test
    void apps_take_turns_and_of_an_app_the_most_urgent_goes_first() throws InterruptedException {
        for (long id = 1; id <= 200; id++) {
            queue.addAll(List.of(TestRuns.runOf("flood", id, TestRuns.START + id)));
        }
        queue.addAll(List.of(
                TestRuns.runOf("other", 1002, TestRuns.START + 1002),
                TestRuns.runOf("other", 1001, TestRuns.START + 1001)));
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            taken.add(taker.take().slot().taskId());
        }
        assertEquals(List.of(1L, 1001L, 2L, 1002L, 3L), taken);
        assertEquals(197, queue.size());
    }

    @Test
    void an_app_does_not_get_every_worker_once_another_is_known() throws Exception {
        queue.addAll(List.of(TestRuns.runOf("other", 1000, TestRuns.START)));
        taker.take();
        taker.leave();
        for (long id = 1; id <= 2 * WORKERS; id++) {
            queue.addAll(List.of(TestRuns.runOf("flood", id, TestRuns.START)));
        }
        List<RunQueue.Taker> busy = new ArrayList<>();
        for (int i = 0; i < MOST_OF_APP; i++) {
            busy.add(queue.taker());
            assertEquals("flood", busy.get(i).take().attempt().app());
        }
        CompletableFuture<Run> kept = CompletableFuture.supplyAsync(() -> {
            try {
                return queue.taker().take();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        queue.addAll(List.of(TestRuns.runOf("other", 1001, TestRuns.START + 1001)));
        assertEquals(1001, kept.get().slot().taskId(), "the kept worker is for the other app");
        busy.get(0).leave();
        assertEquals("flood", taker.take().attempt().app(), "a place that is free again is the flood's");
    }

    @Test
    void an_app_that_is_alone_gets_every_worker() throws InterruptedException {
        for (long id = 1; id <= WORKERS; id++) {
            queue.addAll(List.of(TestRuns.runOf("alone", id, TestRuns.START)));
        }
        for (int i = 0; i < WORKERS; i++) {
            assertEquals("alone", queue.taker().take().attempt().app());
        }
        assertEquals(0, queue.size());
    }

    @Test
    void a_run_handed_back_before_is_not_admitted() {
        Run run = TestRuns.run(1, TestRuns.START);
        run.handBack();
        queue.addAll(List.of(run));
        assertEquals(0, queue.size());
    }

    @Test
    void no_worker_sleeps_while_a_run_waits_and_each_run_is_taken_once() throws Exception {
        int runs = 20_000;
        RunQueue shared = new RunQueue(WORKERS, Ticker.SYSTEM);
        Set<Long> taken = ConcurrentHashMap.newKeySet();
        CountDownLatch left = new CountDownLatch(runs);
        List<Thread> workers = IntStream.range(0, WORKERS)
                .mapToObj(i -> new Thread(() -> takeAll(shared, taken, left)))
                .toList();
        workers.forEach(Thread::start);
        Random random = new Random(7);
        for (long id = 1; id <= runs; ) {
            List<Run> some = new ArrayList<>();
            for (int i = random.nextInt(random.nextInt(8) == 0 ? 600 : 40); i >= 0 && id <= runs; i--) {
                some.add(TestRuns.run(id++, TestRuns.START));
            }
            shared.addAll(some);
            workers.get(random.nextInt(WORKERS)).interrupt();
        }
        left.await();
        assertEquals(runs, taken.size());
        for (Thread worker : workers) {
            while (worker.isAlive()) {
                worker.interrupt();
                worker.join(Duration.ofMillis(5).toMillis());
            }
        }
    }

    /** Until it is interrupted when all are taken. */
    private void takeAll(RunQueue shared, Set<Long> taken, CountDownLatch left) {
        RunQueue.Taker own = shared.taker();
        while (true) {
            try {
                taken.add(own.take().slot().taskId());
                left.countDown();
            } catch (InterruptedException e) {
                if (left.getCount() == 0) {
                    return;
                }
            }
        }
    }

    @Test
    void no_worker_sleeps_while_busy_ones_hold_runs() throws Exception {
        int many = 150;
        CountDownLatch allRun = new CountDownLatch(many);
        List<Thread> workers = IntStream.range(0, many)
                .mapToObj(i -> new Thread(() -> {
                    try {
                        queue.taker().take();
                        allRun.countDown();
                        allRun.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }))
                .toList();
        workers.forEach(Thread::start);
        for (Thread worker : workers) {
            while (worker.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }
        queue.addAll(ofOneInstant(many));
        allRun.await();
        assertEquals(0, queue.size());
    }

    @Test
    void an_interrupted_worker_takes_no_run() {
        queue.addAll(List.of(TestRuns.run(1, TestRuns.START)));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, taker::take);
        assertEquals(1, queue.size());
    }

    @Test
    void no_run_waits_behind_a_run_that_keeps_its_worker() throws InterruptedException {
        queue.addAll(ofOneInstant(200));
        RunQueue.Taker slow = queue.taker();
        Run kept = slow.take();
        Set<Long> others = new HashSet<>();
        nanos += Duration.ofMillis(2).toNanos();
        for (int i = 1; i < 200; i++) {
            assertEquals(200 - i, queue.size());
            others.add(taker.take().slot().taskId());
        }
        assertEquals(199, others.size());
        assertFalse(others.contains(kept.slot().taskId()));
        assertEquals(0, queue.size());
    }

    @Test
    void an_idle_worker_takes_part_of_the_runs_another_has_just_taken() throws InterruptedException {
        queue.addAll(ofOneInstant(130));
        RunQueue.Taker slow = queue.taker();
        Set<Long> taken = new HashSet<>(Set.of(slow.take().slot().taskId()));
        for (int i = 1; i < 130; i++) {
            taken.add(taker.take().slot().taskId());
        }
        assertEquals(130, taken.size());
    }

    @Test
    void a_more_urgent_run_goes_before_a_batch_taken_together() throws InterruptedException {
        queue.addAll(ofOneInstant(200));
        taker.take();
        queue.addAll(List.of(TestRuns.run(1000, TestRuns.START + 1)));
        assertFalse(taker.take().slot().taskId() == 1000, "less urgent");
        queue.addAll(List.of(TestRuns.run(1001, TestRuns.START - 1)));
        assertEquals(1001, taker.take().slot().taskId());
        queue.prepare(List.of(TestRuns.run(1002, TestRuns.START - 1)));
        taker.take();
        queue.addPrepared();
        assertEquals(1002, taker.take().slot().taskId());
        assertEquals(198, queue.size());
    }

    @Test
    void a_slow_run_gives_up_what_was_taken_with_it_in_its_order() throws InterruptedException {
        List<Run> runs = LongStream.range(0, 400)
                .mapToObj(i -> TestRuns.run(i + 1, TestRuns.START + i))
                .toList();
        queue.addAll(runs);
        RunQueue.Taker slow = queue.taker();
        assertEquals(1, slow.take().slot().taskId());
        assertEquals(2, slow.take().slot().taskId());
        assertEquals(9, taker.take().slot().taskId(), "another has the next ones");
        nanos += Duration.ofMillis(2).toNanos();
        assertEquals(3, taker.take().slot().taskId());
        assertEquals(12, slow.take().slot().taskId());
        assertEquals(4, taker.take().slot().taskId());
    }

    @Test
    void a_run_handed_back_after_it_was_taken_with_others_is_forgotten_too() throws InterruptedException {
        List<Run> runs = ofOneInstant(200);
        queue.addAll(runs);
        Run first = taker.take();
        runs.forEach(Run::handBack);
        queue.forgetHandedBack();
        assertEquals(0, queue.size());
        Run late = TestRuns.run(1000, TestRuns.START);
        queue.addAll(List.of(late));
        assertEquals(late, taker.take(), () -> "and not one of those with " + first.slot());
    }

    private static List<Run> ofOneInstant(int count) {
        return LongStream.rangeClosed(1, count)
                .mapToObj(i -> TestRuns.run(i, TestRuns.START))
                .toList();
    }
}
