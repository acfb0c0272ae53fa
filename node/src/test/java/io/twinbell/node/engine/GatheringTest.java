package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class GatheringTest {
    private static final long MILLI = 1_000_000;

    private long nowNanos = 5 * MILLI;
    private int waiting;
    private int batches;
    private boolean isFull;
    private boolean isPressed;

    private final Gathering gathering = new Gathering(this::deal, () -> isFull, () -> isPressed, () -> nowNanos);

    private long deal() {
        if (waiting == 0) {
            return 1000 * MILLI;
        }
        batches++;
        waiting = 0;
        return 0;
    }

    @Test
    void what_comes_after_a_pause_is_dealt_with_at_once() {
        waiting = 1;
        assertEquals(0, gathering.step());
        assertEquals(1, batches);
    }

    @Test
    void what_comes_soon_after_a_batch_waits_for_the_next() {
        waiting = 1;
        gathering.step();
        waiting = 1;
        nowNanos += MILLI;
        assertEquals(MILLI, gathering.step());
        assertEquals(1, batches);
        nowNanos += MILLI;
        assertEquals(0, gathering.step());
        assertEquals(2, batches);
    }

    @Test
    void a_whole_batch_waits_for_nothing() {
        waiting = 1;
        gathering.step();
        waiting = 1000;
        isFull = true;
        assertEquals(0, gathering.step());
        assertEquals(2, batches);
    }

    @Test
    void nothing_to_do_puts_nothing_off() {
        gathering.step();
        waiting = 1;
        assertEquals(0, gathering.step());
        assertEquals(1, batches);
    }

    @Test
    void what_is_more_urgent_comes_first_until_it_is_done() {
        waiting = 1000;
        isFull = true;
        isPressed = true;
        assertEquals(2 * MILLI, gathering.step());
        nowNanos += 2 * MILLI;
        isPressed = false;
        assertEquals(0, gathering.step());
        assertEquals(1, batches);
    }

    @Test
    void what_stays_urgent_comes_first_for_20_ms_each_time() {
        isPressed = true;
        for (int batch = 1; batch <= 3; batch++) {
            waiting = 1;
            for (int millis = 0; millis < 20; millis += 2) {
                assertEquals(2 * MILLI, gathering.step());
                nowNanos += 2 * MILLI;
            }
            assertEquals(0, gathering.step());
            assertEquals(batch, batches);
        }
    }
}
