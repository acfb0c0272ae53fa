package io.twinbell.node.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScanPaceTest {
    private final HandTicker ticker = new HandTicker();
    private final ScanPace pace = new ScanPace(ticker);

    private void scan(long millis) {
        assertEquals("found", pace.run(() -> {
            ticker.pass(Duration.ofMillis(millis));
            return "found";
        }));
    }

    @Test
    void a_quick_scan_is_repeated_at_once() {
        assertTrue(pace.isDue());
        scan(50);
        assertTrue(pace.isDue());
    }

    @Test
    void a_slow_scan_takes_a_tenth_of_the_time() {
        scan(200);
        ticker.pass(Duration.ofMillis(1999));
        assertFalse(pace.isDue());
        ticker.pass(Duration.ofMillis(1));
        assertTrue(pace.isDue());
    }

    @Test
    void no_pause_is_longer_than_half_a_minute() {
        scan(60_000);
        ticker.pass(Duration.ofSeconds(30));
        assertTrue(pace.isDue());
    }

    @Test
    void a_new_task_is_read_at_once() {
        scan(1000);
        pace.reset();
        assertTrue(pace.isDue());
    }
}
