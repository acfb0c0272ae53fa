package io.twinbell.node.pair.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WakeableIntervalTest {
    private static final Duration EVERY = Duration.ofSeconds(3);

    private final HandTicker ticker = new HandTicker();
    private final RoleTasks.WakeableInterval wakeableInterval = new RoleTasks.WakeableInterval(ticker, EVERY);

    @Test
    void a_look_that_never_happened_is_due() {
        assertTrue(wakeableInterval.isDue());
    }

    @Test
    void work_that_is_put_off_is_due_once_the_time_has_passed() {
        wakeableInterval.putOff(Duration.ofSeconds(1));
        assertFalse(wakeableInterval.isDue());
        assertEquals(Duration.ofSeconds(1), wakeableInterval.cap(EVERY));
        ticker.pass(Duration.ofMillis(400));
        assertFalse(wakeableInterval.isDue());
        ticker.pass(Duration.ofMillis(600));
        assertTrue(wakeableInterval.isDue());
    }

    @Test
    void a_task_woken_between_two_beats_does_not_put_the_next_one_off() {
        wakeableInterval.done();
        ticker.pass(Duration.ofMillis(2400));
        assertFalse(wakeableInterval.isDue());
        assertEquals(Duration.ofMillis(600), wakeableInterval.cap(EVERY));
        ticker.pass(Duration.ofMillis(600));
        assertTrue(wakeableInterval.isDue());
    }

    @Test
    void a_shorter_delay_stays_as_it_is() {
        wakeableInterval.done();
        assertEquals(Duration.ofMillis(20), wakeableInterval.cap(Duration.ofMillis(20)));
    }

    @Test
    void an_overdue_slot_that_failed_is_retried_soon_but_not_at_once() {
        wakeableInterval.done();
        ticker.pass(Duration.ofMinutes(1));
        assertEquals(Duration.ofMillis(200), wakeableInterval.cap(EVERY));
    }
}
