package io.twinbell.node.pair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.loop.Loop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeferredStartTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final AtomicInteger started = new AtomicInteger();
    private final Stepper thread = new Stepper() {
        @Override
        public void start() {
            started.incrementAndGet();
        }

        @Override
        public void wake() {}

        @Override
        public void close() {}
    };
    private long now = 5;
    private final DeferredStart deferred = new DeferredStart(new Loop("background", () -> now), () -> now);

    @Test
    void background_work_starts_with_the_first_fire() {
        deferred.prepare(List.of(thread));

        assertEquals(SECOND, deferred.step());
        assertEquals(0, started.get());
        deferred.firstFired();
        deferred.step();
        assertEquals(1, started.get());
    }

    @Test
    void background_work_of_a_node_that_fires_nothing_starts_after_a_second() {
        deferred.prepare(List.of(thread));

        now += SECOND - 1;
        assertEquals(1, deferred.step());
        assertEquals(0, started.get());
        now++;
        deferred.step();
        assertEquals(1, started.get());
    }

    @Test
    void background_work_starts_once() {
        deferred.prepare(List.of(thread));
        deferred.firstFired();

        deferred.step();
        deferred.firstFired();
        deferred.step();
        assertEquals(1, started.get());
    }

    @Test
    void a_thread_that_the_system_refused_starts_with_the_next_step_and_the_others_start_once() {
        AtomicInteger refusals = new AtomicInteger();
        Stepper refused = new Stepper() {
            @Override
            public void start() {
                if (refusals.getAndIncrement() == 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
            }

            @Override
            public void wake() {}

            @Override
            public void close() {}
        };
        deferred.prepare(List.of(thread, refused, thread));
        deferred.firstFired();

        assertThrows(OutOfMemoryError.class, deferred::step);
        assertEquals(1, started.get());
        deferred.step();
        assertEquals(2, started.get());
        assertEquals(2, refusals.get());
    }
}
