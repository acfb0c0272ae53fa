package io.twinbell.tools.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class BenchPlanTest {
    private static final long START = 1_700_000_000_000L;

    @Test
    void one_shots_lie_evenly_at_their_rate() {
        BenchPlan.OneShots plan = new BenchPlan.OneShots(START, 25_000, 10_000);

        assertEquals(START, plan.fireMillis(9));
        assertEquals(START + 1, plan.fireMillis(10));
        assertEquals(START + 2499, plan.lastMillis());
        assertEquals(10, plan.slot(10, START + 1));
        assertEquals(-1, plan.slot(10, START));
        assertEquals(
                "2023-11-14T22:13:20.001Z",
                plan.timing(10).path("schedule").path("at").asText());
    }

    @Test
    void one_shots_without_a_rate_are_due_at_the_same_instant() {
        assertEquals(START, new BenchPlan.OneShots(START, 1000, 0).lastMillis());
    }

    @Test
    void tasks_that_fire_every_second_owe_as_many_slots_as_seconds_and_no_number_means_two_of_them() {
        BenchPlan plan = new BenchPlan.EverySecond(START, 10, 3);
        BitSet numbers = new BitSet();
        for (int task = 0; task < plan.tasks(); task++) {
            for (long at = plan.firstMillis() - 2000; at <= plan.lastMillis() + 2000; at++) {
                int slot = plan.slot(task, at);
                if (slot >= 0) {
                    numbers.set(slot);
                }
            }
        }

        assertEquals(30, plan.slots());
        assertEquals(30, numbers.cardinality());
        assertEquals(30, numbers.length());
    }

    @Test
    void every_second_task_goes_by_cron() {
        BenchPlan plan = new BenchPlan.EverySecond(START, 10, 3);

        assertEquals("cron", plan.kind(2));
        assertEquals("* * * * * ?", plan.timing(2).path("schedule").path("cron").asText());
        assertEquals("interval", plan.kind(3));
        assertEquals("2023-11-14T22:13:20.300Z", plan.timing(3).path("start").asText());
    }
}
