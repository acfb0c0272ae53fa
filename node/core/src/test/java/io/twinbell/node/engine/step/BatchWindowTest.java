package io.twinbell.node.engine.step;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BatchWindowTest {
    private static final long MILLI = 1_000_000;

    private long nowNanos = 5 * MILLI;
    private int waiting;
    private int batches;
    private boolean isFull;

    private final BatchWindow batchWindow = new BatchWindow(this::deal, () -> isFull, () -> nowNanos);

    private long deal() {
        if (waiting == 0) {
            return 1000 * MILLI;
        }
        batches++;
        waiting = 0;
        return 0;
    }

    @Test
    void arrivals_after_a_pause_are_handled_at_once() {
        waiting = 1;
        assertEquals(0, batchWindow.step());
        assertEquals(1, batches);
    }

    @Test
    void an_arrival_soon_after_a_batch_waits_for_the_next() {
        waiting = 1;
        batchWindow.step();
        waiting = 1;
        nowNanos += MILLI;
        assertEquals(MILLI, batchWindow.step());
        assertEquals(1, batches);
        nowNanos += MILLI;
        assertEquals(0, batchWindow.step());
        assertEquals(2, batches);
    }

    @Test
    void a_whole_batch_waits_for_nothing() {
        waiting = 1;
        batchWindow.step();
        waiting = 1000;
        isFull = true;
        assertEquals(0, batchWindow.step());
        assertEquals(2, batches);
    }

    @Test
    void nothing_to_do_puts_nothing_off() {
        batchWindow.step();
        waiting = 1;
        assertEquals(0, batchWindow.step());
        assertEquals(1, batches);
    }
}
