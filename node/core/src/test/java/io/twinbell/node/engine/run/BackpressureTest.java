package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackpressureTest {
    private final Backpressure backpressure = new Backpressure(10, () -> 0);

    private static void took(Backpressure backpressure, long nanos) {
        backpressure.took(new long[] {nanos}, 1);
    }

    private void took(Duration each) {
        for (int i = 0; i < 10_000; i++) {
            took(backpressure, each.toNanos());
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
    void before_anything_has_run_thousands_may_be_claimed_for_one_instant() {
        int room = new Backpressure(16, () -> 0).room(0);
        assertTrue(room * 3 / 4 >= 5000, "what may be claimed early of " + room);
    }

    @Test
    void quick_handlers_have_as_many_as_they_run_in_a_fifth_of_a_second() {
        took(Duration.ofMillis(10));
        assertEquals(200, backpressure.room(0), 5);
        took(Duration.ofNanos(20_000));
        assertTrue(backpressure.room(0) > 90_000, "claimed ahead, they start in time");
    }

    @Test
    void a_pause_that_keeps_every_worker_once_takes_no_room_from_thousands() {
        took(Duration.ofNanos(20_000));
        for (int worker = 0; worker < 10; worker++) {
            took(backpressure, Duration.ofMillis(15).toNanos());
        }
        assertTrue(backpressure.room(0) > 6000);
    }

    @Test
    void a_few_slow_ones_among_many_count_for_what_they_take() {
        for (int run = 0; run < 100_000; run++) {
            took(backpressure, run % 100 == 0 ? Duration.ofSeconds(5).toNanos() : 20_000);
        }
        assertTrue(backpressure.room(0) < 100, "50 ms each in the mean");
    }

    @Test
    void a_handler_that_has_become_slow_is_noticed_within_a_few_runs_a_worker() {
        took(Duration.ofNanos(20_000));
        for (int run = 0; run < 60; run++) {
            took(backpressure, Duration.ofMillis(200).toNanos());
        }
        assertEquals(20, backpressure.room(0));
    }
}
