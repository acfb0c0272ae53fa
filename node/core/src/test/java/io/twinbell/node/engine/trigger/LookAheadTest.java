package io.twinbell.node.engine.trigger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.Urgency;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When claims begin so that they have ended before the instant of what is claimed. */
class LookAheadTest {
    private static final long T = TestRuns.START;
    private static final long HALF_A_SECOND = LookAhead.LONGEST.toMillis();
    private static final long USUAL = LookAhead.USUAL.toMillis();

    private final TaskHeap heap = new TaskHeap();
    private long ticks;
    private int room = 1_000_000;
    private final LookAhead lookAhead = new LookAhead(() -> ticks, () -> room);

    @Test
    void few_are_claimed_as_late_as_that_is_in_time() {
        due(10, T + 400);
        assertEquals(T + USUAL, until(T));
        assertEquals(T + 400 - USUAL, begin(T));
    }

    @Test
    void many_at_one_instant_are_claimed_so_early_that_the_last_of_them_is_in_time() {
        eachTakes(60_000);
        due(5000, T + 4000);
        assertEquals(T + USUAL, until(T));
        // They take 300 ms, and end a stretch of 25 ms or two before the instant.
        long ahead = T + 4000 - begin(T);
        assertTrue(ahead >= 320 && ahead <= 350, ahead + " ms ahead");
    }

    @Test
    void the_first_claims_of_a_process_are_taken_to_be_slow() {
        due(3000, T + 4000);
        long ahead = T + 4000 - begin(T);
        assertTrue(ahead >= 320 && ahead <= 350, ahead + " ms ahead");
    }

    @Test
    void many_behind_a_few_are_seen_in_time_too() {
        eachTakes(60_000);
        due(1, T + 4000);
        due(5000, T + 4150);
        long now = T;
        while (until(now) <= T + 4150) {
            if (until(now) > T + 4000) {
                heap.remove(1);
            }
            now = wake(now);
        }
        assertTrue(T + 4150 - now >= 320, T + 4150 - now + " ms ahead");
    }

    @Test
    void claims_that_are_quick_by_what_was_seen_may_cost_more_next_time() {
        eachTakes(1000);
        due(5000, T + 400);
        assertTrue(begin(T) <= T + 150, "after " + (begin(T) - T) + " ms");
    }

    @Test
    void slots_that_already_wait_for_a_claim_take_their_time_too() {
        eachTakes(60_000);
        due(1, T + 200);
        assertEquals(T + USUAL, lookAhead.untilMillis(nanos(T), heap, heap.headTime(), 0));
        assertTrue(lookAhead.untilMillis(nanos(T + 10), heap, heap.headTime(), 5000) > T + 200);
    }

    @Test
    void a_steady_rate_within_capacity_is_not_claimed_early() {
        eachTakes(60_000);
        for (int millis = 0; millis < HALF_A_SECOND; millis++) {
            due(5, T + millis);
        }
        assertTrue(until(T) <= T + USUAL + 25, "at " + (until(T) - T) + " ms");
    }

    @Test
    void however_many_there_are_nothing_is_claimed_sooner_than_half_a_second_ahead() {
        eachTakes(1_000_000);
        due(100_000, T + HALF_A_SECOND + 1);
        assertEquals(T + USUAL, until(T));
        due(100_000, T + HALF_A_SECOND - 1);
        assertEquals(T + 11 + HALF_A_SECOND, until(T + 11));
    }

    @Test
    void claims_that_were_held_up_do_not_make_the_next_ones_early() {
        eachTakes(100_000_000);
        due(100, T + 400);
        assertEquals(T + 400 - USUAL, begin(T));
    }

    @Test
    void a_slot_without_room_is_not_claimed_early_and_leaves_room_for_earlier_ones() {
        eachTakes(60_000);
        due(5000, T + 400);
        room = 6000;
        assertEquals(T + 400 - USUAL, begin(T));
    }

    @Test
    void it_looks_seldom_and_makes_up_for_it() {
        eachTakes(60_000);
        assertEquals(T + USUAL, until(T));
        due(1, T + 300);
        until(T + 10);
        due(5000, T + 200);
        assertEquals(T + 12 + USUAL, until(T + 12), "too soon to look again");
        assertEquals(T + 20, wake(T + 12));
        assertTrue(until(T + 20) > T + 200);
    }

    @Test
    void a_clock_that_was_set_back_is_looked_at_at_once() {
        eachTakes(60_000);
        due(1, T + 3_600_000);
        until(T + 3_600_000 - 100);
        assertEquals(T + USUAL, until(T), "not hours ahead");
        due(5000, T + 200);
        assertTrue(until(T + 50) > T + 200);
    }

    /** Until the mean has come there. */
    private void eachTakes(long nanos) {
        for (int i = 0; i < 100; i++) {
            long began = lookAhead.begin();
            ticks += 1000 * nanos;
            lookAhead.claimed(1000, began);
        }
    }

    private void due(int count, long millis) {
        for (int i = 0; i < count; i++) {
            heap.put(heap.size() + 1, millis, Urgency.USUAL);
        }
    }

    private long until(long nowMillis) {
        return lookAhead.untilMillis(nanos(nowMillis), heap, heap.headTime(), 0);
    }

    /** Rounded up. */
    private long wake(long nowMillis) {
        return (lookAhead.wakeNanos(nanos(nowMillis), heap.headTime()) + 999_999) / 1_000_000;
    }

    /** When the head is claimed, if the caller asks at each instant at which that may be. */
    private long begin(long nowMillis) {
        long now = nowMillis;
        while (until(now) < heap.headTime()) {
            now = wake(now);
        }
        return now;
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
