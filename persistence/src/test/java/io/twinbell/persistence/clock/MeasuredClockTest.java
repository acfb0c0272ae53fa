package io.twinbell.persistence.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class MeasuredClockTest {
    private long nanos = 5_000_000_000L;
    private long wallMillis = 1_000_000;
    private final MeasuredClock clock = new MeasuredClock(() -> nanos, () -> Instant.ofEpochMilli(wallMillis));

    @Test
    void before_the_first_measurement_it_is_the_machines_own_clock() {
        assertEquals(1_000_000, clock.nowMillis());
    }

    @Test
    void it_follows_the_database_and_not_the_wall() {
        clock.measured(7_000_000_000L, nanos);
        wallMillis += 3_600_000;
        pass(10);
        assertEquals(7_000_010, clock.nowMillis());
    }

    @Test
    void a_slow_answer_does_not_set_it_back() {
        clock.measured(7_000_000_000L, nanos);
        pass(20);
        clock.measured(7_000_020_000L - 40_000, nanos);
        assertEquals(7_000_019, clock.nowMillis(), "the older, faster answer counts, less 500 ppm of its age");
    }

    @Test
    void an_answer_that_was_long_in_coming_is_no_clock_that_was_set_back() {
        clock.measured(7_000_000_000L, nanos);
        long asked = nanos;
        pass(2000);
        assertEquals(0, clock.measured(7_000_000_000L, asked, nanos));
        assertEquals(7_001_999, clock.nowMillis());
    }

    @Test
    void a_jump_is_adopted_at_once_and_told() {
        clock.measured(7_000_000_000L, nanos);
        pass(1000);
        assertEquals(-3_600_000, clock.measured(7_001_000_000L - 3_600_000_000L, nanos));
        assertEquals(7_001_000 - 3_600_000, clock.nowMillis());
    }

    @Test
    void one_that_has_slept_is_put_right_by_what_the_database_is_known_to_have_shown() {
        clock.measured(7_000_000_000L, nanos);
        pass(10);
        clock.atLeast(7_009_000_000L);
        assertEquals(7_009_000, clock.nowMillis());
        clock.atLeast(7_008_000_000L);
        assertEquals(7_009_000, clock.nowMillis(), "it knows better");
        clock.measured(7_002_000_000L, nanos);
        clock.atLeast(7_009_000_000L);
        assertEquals(7_002_000, clock.nowMillis(), "the database's clock was set back since");
    }

    @Test
    void a_database_whose_clock_is_slow_by_what_discipline_allows_is_never_overtaken_by_more_than_one_interval() {
        for (int i = 0; i < 100; i++) {
            long databaseMicros = 7_000_000_000L + i * 499_750L;
            clock.measured(databaseMicros, nanos);
            assertEquals(databaseMicros / 1000, clock.nowMillis());
            pass(500);
        }
    }

    @Test
    void it_never_goes_back_but_at_a_jump() {
        clock.measured(7_000_000_000L, nanos);
        pass(100);
        long before = clock.nowNanos();
        for (int i = 0; i < 8; i++) {
            clock.measured(7_000_100_000L - 3_000, nanos);
        }
        assertEquals(before, clock.nowNanos(), "eight slower answers have pushed the fastest out");
    }

    private void pass(long millis) {
        nanos += millis * 1_000_000;
    }
}
