package io.twinbell.lab.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseTimeTest {
    private final DatabaseTime time = new DatabaseTime();

    @Test
    void it_is_the_machines_unless_somebody_has_set_it() {
        assertEquals(7_000_000, time.latest(7_000_000));
    }

    @Test
    void a_clock_that_was_put_forward_is_ahead_from_then_on() {
        time.isAhead(5_000_000, Duration.ofSeconds(2));

        assertEquals(4_999_999, time.latest(4_999_999));
        assertEquals(7_000_000, time.latest(5_000_000));
        assertEquals(12_000_000, time.latest(10_000_000));
    }

    @Test
    void a_history_that_a_restore_replaced_was_shown_twice() {
        time.isAhead(50_000_000, Duration.ofSeconds(-5));

        assertTrue(time.occurredTwice(45_000));
        assertTrue(time.occurredTwice(50_000));
        assertFalse(time.occurredTwice(43_000));
        assertFalse(time.occurredTwice(52_000));
    }

    @Test
    void nothing_is_shown_twice_by_a_clock_that_is_put_forward() {
        time.isAhead(50_000_000, Duration.ofSeconds(5));

        assertFalse(time.occurredTwice(50_000));
        assertFalse(time.occurredTwice(53_000));
    }

    @Test
    void one_that_was_put_back_may_have_been_ahead_for_a_second_more() {
        time.isAhead(5_000_000, Duration.ofSeconds(2));
        time.isAhead(10_000_000, Duration.ZERO);

        assertEquals(12_999_999, time.latest(10_999_999));
        assertEquals(11_000_000, time.latest(11_000_000));
    }
}
