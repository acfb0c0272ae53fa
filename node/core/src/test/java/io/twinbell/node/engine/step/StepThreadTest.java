package io.twinbell.node.engine.step;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.Eventually;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class StepThreadTest {
    private static final long AN_HOUR = Duration.ofHours(1).toNanos();

    private final AtomicReference<StepThread> self = new AtomicReference<>();

    @Test
    void it_steps_again_without_a_pause_while_the_step_asks_for_none() throws Exception {
        CountDownLatch steps = new CountDownLatch(3);
        try (StepThread thread = new StepThread(new Loop("test", Ticker.SYSTEM), () -> {
            steps.countDown();
            return steps.getCount() == 0 ? AN_HOUR : 0;
        })) {
            thread.start();
            steps.await();
        }
    }

    @Test
    void a_wake_ends_a_sleep() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch steps = new CountDownLatch(2);
        try (StepThread thread = new StepThread(new Loop("test", Ticker.SYSTEM), () -> {
            first.countDown();
            steps.countDown();
            return AN_HOUR;
        })) {
            thread.start();
            first.await();
            thread.wake();
            steps.await();
        }
    }

    @Test
    void a_wake_during_a_step_is_not_lost_even_if_the_step_itself_waits_for_something() throws Exception {
        CountDownLatch steps = new CountDownLatch(2);
        StepThread thread = new StepThread(new Loop("test", Ticker.SYSTEM), () -> {
            if (steps.getCount() == 2) {
                self.get().wake();
                // As any contended lock does: it uses up the permit that the wake has left.
                LockSupport.parkNanos(1);
            }
            steps.countDown();
            return AN_HOUR;
        });
        self.set(thread);
        thread.start();
        assertTrue(steps.await(3, TimeUnit.SECONDS), "the second step");
        thread.close();
    }

    @Test
    void a_step_that_throws_whatever_it_may_be_is_stepped_again() throws Exception {
        AtomicInteger steps = new AtomicInteger();
        CountDownLatch third = new CountDownLatch(1);
        try (StepThread thread = new StepThread(new Loop("test", Ticker.SYSTEM), () -> {
            switch (steps.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("a bug");
                case 2 -> throw new StackOverflowError();
                default -> third.countDown();
            }
            return AN_HOUR;
        })) {
            thread.start();
            third.await();
        }
    }

    @Test
    void a_closed_thread_has_ended() {
        AtomicReference<Thread> stepping = new AtomicReference<>();
        CountDownLatch stepped = new CountDownLatch(1);
        StepThread thread = new StepThread(new Loop("test", Ticker.SYSTEM), () -> {
            stepping.set(Thread.currentThread());
            stepped.countDown();
            return AN_HOUR;
        });
        thread.start();
        assertTrue(Eventually.isOver(stepped));
        thread.close();
        assertFalse(stepping.get().isAlive());
    }
}
