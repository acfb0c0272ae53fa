package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InFlightTest {
    private static final String ALLOW = ",\"overlap\":\"ALLOW\"";

    private final InFlight inFlight = new InFlight(InFlight.Bounds.of(2), Tasks.NO_PRESSURE);

    @Test
    void no_more_is_claimed_than_its_text_has_room_for() {
        InFlight few = new InFlight(new InFlight.Bounds(100, 5000), Tasks.NO_PRESSURE);
        Run small = runOf(1, 2000);
        Run large = runOf(2, 4000);
        assertEquals(100, few.room());
        few.add(small);
        few.add(small);
        assertEquals(1, few.room(), "another one of that length is well within, a second is not");
        few.add(large);
        assertEquals(0, few.room());
        few.remove(small);
        few.remove(small);
        assertEquals(0, few.room(), "another one of that length would be too much");
        few.remove(large);
        assertEquals(100, few.room(), "what is gone takes no room, however often it goes");
        few.add(large);
        few.add(runOf(2, 6000));
        assertEquals(0, few.room(), "another run of the slot is in its place");
        few.remove(large);
        assertEquals(0, few.room(), "and is not gone with it");
    }

    private static Run runOf(long task, int length) {
        return new Run(Tasks.epoch(1), Tasks.attempt(task, 1000, 1), Tasks.definition(Tasks.EVERY_MINUTE), length);
    }

    @Test
    void a_task_that_skips_runs_once_at_a_time() {
        Run first = Tasks.run(1, 1000);
        assertTrue(inFlight.tryEnter(first));
        assertFalse(inFlight.tryEnter(Tasks.run(1, 2000)));
        assertTrue(inFlight.tryEnter(Tasks.run(2, 2000)), "another task is not concerned");
        inFlight.exit(first);
        assertTrue(inFlight.tryEnter(Tasks.run(1, 3000)));
    }

    @Test
    void a_task_that_allows_it_runs_beside_itself_and_counts_every_run() {
        Run first = Tasks.run(Tasks.epoch(1), 1, 1000, ALLOW);
        Run second = Tasks.run(Tasks.epoch(1), 1, 2000, ALLOW);
        assertTrue(inFlight.tryEnter(first));
        assertTrue(inFlight.tryEnter(second));
        inFlight.exit(first);
        assertFalse(inFlight.tryEnter(Tasks.run(1, 3000)), "edited to skip meanwhile: one still runs");
        inFlight.exit(second);
        assertTrue(inFlight.tryEnter(Tasks.run(1, 3000)));
    }

    @Test
    void a_second_attempt_that_has_to_wait_goes_before_newer_slots() {
        Run running = Tasks.run(1, 2000);
        Run again = Tasks.again(1, 1000, 2);
        Run newer = Tasks.run(1, 3000);
        inFlight.add(again);
        assertTrue(inFlight.tryEnter(running));
        assertFalse(inFlight.tryEnter(again));
        inFlight.exit(running);
        assertFalse(inFlight.tryEnter(newer), "its turn comes after the promised one");
        assertTrue(inFlight.tryEnter(again));
        inFlight.exit(again);
        assertTrue(inFlight.tryEnter(newer));
    }

    @Test
    void a_promise_goes_with_the_run_that_it_was_made_to() {
        Run running = Tasks.run(1, 2000);
        Run again = Tasks.again(1, 1000, 2);
        inFlight.add(again);
        inFlight.tryEnter(running);
        inFlight.tryEnter(again);
        inFlight.remove(again);
        inFlight.exit(running);
        assertTrue(inFlight.tryEnter(Tasks.run(1, 3000)));
    }

    @Test
    void what_the_old_master_still_finishes_counts_as_running() {
        inFlight.runElsewhere(Set.of(1L));
        assertFalse(inFlight.tryEnter(Tasks.run(1, 1000)));
        assertTrue(inFlight.tryEnter(Tasks.run(Tasks.epoch(1), 1, 1000, ALLOW)));
        inFlight.runElsewhere(Set.of());
        assertTrue(inFlight.tryEnter(Tasks.run(2, 1000)));
    }

    @Test
    void room_is_what_the_bound_leaves_and_never_negative() {
        Run first = Tasks.run(1, 1000);
        inFlight.add(first);
        assertEquals(1, inFlight.room());
        inFlight.add(Tasks.run(2, 1000));
        inFlight.add(Tasks.run(3, 1000));
        assertEquals(0, inFlight.room());
        inFlight.remove(first);
        assertEquals(0, inFlight.room());
    }

    @Test
    void a_run_is_removed_by_itself_and_not_by_another_attempt_of_its_slot() {
        Run old = Tasks.run(Tasks.epoch(1), 1, 1000);
        Run again = Tasks.run(Tasks.epoch(3), 1, 1000);
        inFlight.add(old);
        inFlight.add(again);
        inFlight.remove(old);
        assertTrue(inFlight.holds(again.slot()));
        assertEquals(List.of(again), inFlight.of(Tasks.epoch(3)));
        assertFalse(inFlight.hasAny(Tasks.epoch(1)));
    }
}
