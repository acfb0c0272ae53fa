package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
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

    private final RunQueue queue = new RunQueue();

    @Test
    void the_most_urgent_is_taken_first() throws InterruptedException {
        List<Run> runs = new ArrayList<>(LongStream.range(0, 500)
                .mapToObj(i -> Tasks.run(i + 1, Tasks.START + i / 3))
                .toList());
        Collections.shuffle(runs, new Random(1));
        queue.addAll(runs);
        long last = Long.MIN_VALUE;
        for (int i = 0; i < 500; i++) {
            long urgency = queue.take().urgency();
            assertFalse(urgency < last, "after " + i);
            last = urgency;
        }
        assertEquals(0, queue.size());
    }

    @Test
    void what_was_prepared_is_taken_once_it_is_added_in_its_order_among_the_others() throws InterruptedException {
        for (List<Run> waiting : List.of(List.<Run>of(), List.of(Tasks.run(7, Tasks.START + 1)))) {
            queue.addAll(waiting);
            queue.prepare(List.of(Tasks.run(8, Tasks.START + 2)));
            queue.prepare(List.of(Tasks.run(9, Tasks.START)));
            assertEquals(waiting.size(), queue.size());
            queue.addPrepared();
            assertEquals(2 + waiting.size(), queue.size());
            assertEquals(9, queue.take().slot().taskId());
            for (Run run : waiting) {
                assertEquals(run, queue.take());
            }
            assertEquals(8, queue.take().slot().taskId());
            queue.addPrepared();
            assertEquals(0, queue.size());
        }
    }

    @Test
    void what_was_given_back_while_it_was_prepared_is_forgotten_too() {
        Run run = Tasks.run(1, Tasks.START);
        queue.prepare(List.of(run, Tasks.run(2, Tasks.START)));
        run.handBack();
        queue.forgetHandedBack();
        queue.addPrepared();
        assertEquals(1, queue.size());
    }

    @Test
    void what_was_given_back_is_forgotten_and_the_rest_keeps_its_order() throws InterruptedException {
        List<Run> runs = LongStream.range(0, 100)
                .mapToObj(i -> Tasks.run(i + 1, Tasks.START + 99 - i))
                .toList();
        queue.addAll(runs);
        runs.stream().filter(run -> run.slot().taskId() % 2 == 0).forEach(Run::handBack);
        queue.forgetHandedBack();
        assertEquals(50, queue.size());
        for (long id = 99; id > 0; id -= 2) {
            assertEquals(id, queue.take().slot().taskId());
        }
    }

    @Test
    void what_was_given_back_before_is_not_let_in() {
        Run run = Tasks.run(1, Tasks.START);
        run.handBack();
        queue.addAll(List.of(run));
        assertEquals(0, queue.size());
    }

    @Test
    void nobody_sleeps_while_a_run_waits_and_each_is_taken_once_even_if_workers_are_interrupted() throws Exception {
        int runs = 20_000;
        Set<Long> taken = ConcurrentHashMap.newKeySet();
        CountDownLatch left = new CountDownLatch(runs);
        List<Thread> workers = IntStream.range(0, WORKERS)
                .mapToObj(i -> new Thread(() -> takeAll(taken, left)))
                .toList();
        workers.forEach(Thread::start);
        Random random = new Random(7);
        for (long id = 1; id <= runs; ) {
            List<Run> some = new ArrayList<>();
            for (int i = random.nextInt(40); i >= 0 && id <= runs; i--) {
                some.add(Tasks.run(id++, Tasks.START));
            }
            queue.addAll(some);
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
    private void takeAll(Set<Long> taken, CountDownLatch left) {
        while (true) {
            try {
                taken.add(queue.take().slot().taskId());
                left.countDown();
            } catch (InterruptedException e) {
                if (left.getCount() == 0) {
                    return;
                }
            }
        }
    }

    @Test
    void who_is_interrupted_takes_nothing() {
        queue.addAll(List.of(Tasks.run(1, Tasks.START)));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, queue::take);
        assertEquals(1, queue.size());
    }
}
