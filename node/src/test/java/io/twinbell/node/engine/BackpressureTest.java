package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackpressureTest {
    private final Backpressure backpressure = new Backpressure(10, () -> 0);

    private void took(Duration each) {
        for (int i = 0; i < 200; i++) {
            backpressure.took(each.toNanos());
        }
    }

    @Test
    void slow_handlers_have_each_worker_its_next_run_and_no_more() {
        took(Duration.ofSeconds(5));
        assertEquals(20, backpressure.room(0));
        assertEquals(1, backpressure.room(19));
        assertEquals(0, backpressure.room(20));
        assertEquals(0, backpressure.room(500));
    }

    @Test
    void quick_handlers_have_as_many_as_they_run_in_a_fifth_of_a_second() {
        took(Duration.ofMillis(10));
        assertEquals(200, backpressure.room(0), 5);
        took(Duration.ofNanos(20_000));
        assertTrue(backpressure.room(0) > 90_000, "claimed ahead, they start in time");
    }
}
