package io.twinbell.tools.check.history;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwedSlotPlanTest {
    @Test
    void a_grid_has_its_first_slot_and_every_one_after_it() {
        OwedSlotPlan.Timetable grid = new OwedSlotPlan.Grid(137, 100);

        assertArrayEquals(new long[] {137, 237, 337}, grid.between(0, 400).toArray());
        assertTrue(grid.has(137));
        assertFalse(grid.has(37));
        assertFalse(grid.has(200));
    }

    @ParameterizedTest
    @CsvSource({"137,137,1", "138,236,0", "138,237,1", "237,237,1", "0,136,0", "237,1137,10", "1137,237,0"})
    void both_ends_of_a_span_belong_to_it(long from, long until, long slots) {
        assertEquals(slots, new OwedSlotPlan.Grid(137, 100).between(from, until).count());
    }

    @Test
    void a_one_shot_has_one_slot() {
        OwedSlotPlan.Timetable once = new OwedSlotPlan.Once(500);

        assertArrayEquals(new long[] {500}, once.between(0, 1000).toArray());
        assertArrayEquals(new long[] {500}, once.between(500, 500).toArray());
        assertEquals(0, once.between(501, 1000).count());
        assertEquals(0, once.between(0, 499).count());
    }

    @Test
    void each_stage_of_a_changed_timetable_holds_until_the_next() {
        OwedSlotPlan.Timetable changed = new OwedSlotPlan.Stages(List.of(
                new OwedSlotPlan.Stage(new OwedSlotPlan.Grid(100, 100), 350),
                new OwedSlotPlan.Stage(new OwedSlotPlan.Grid(400, 250), Long.MAX_VALUE)));

        assertArrayEquals(
                new long[] {100, 200, 300, 400, 650, 900},
                changed.between(0, 1000).toArray());
        assertArrayEquals(new long[] {300, 400}, changed.between(300, 500).toArray());
        assertFalse(changed.has(500));
        assertEquals(100, changed.firstMillis());
    }
}
