package io.twinbell.tools.check.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.check.Story;
import io.twinbell.tools.check.history.LedgerRow.State;
import org.junit.jupiter.api.Test;

class SlotTotalsTest {
    @Test
    void the_ends_of_owed_slots_add_up_to_what_is_owed() {
        SlotTotals totals = SlotTotals.of(new Story()
                .task(1, new OwedSlotPlan.Grid(1000, 1000), true, false)
                .task(2, new OwedSlotPlan.Chain(6000, 9000), false, false)
                .succeeded(1, 1000)
                .row(1, 2000, 9000, 8, State.MISSED)
                .row(1, 10_000, 12_000, 3, State.SKIPPED)
                .succeeded(2, 6000)
                .history());

        assertEquals(11, totals.owed());
        assertEquals(2, totals.ended(State.SUCCEEDED));
        assertEquals(8, totals.ended(State.MISSED));
        assertEquals(1, totals.ended(State.SKIPPED));
    }

    @Test
    void the_runs_in_flight_are_those_that_were_settled() {
        SlotTotals totals = SlotTotals.of(new Story()
                .task(1, new OwedSlotPlan.Once(4990), true, false)
                .task(2, new OwedSlotPlan.Once(4990), false, false)
                .row(1, 4990, State.SUCCEEDED, 2, 2)
                .row(2, 4990, State.DROPPED, 1, 1)
                .row(3, 4990, State.SKIPPED, 2, 2)
                .history());

        assertEquals(3, totals.settled());
        assertEquals(1, totals.settledAndSkipped());
    }

    @Test
    void a_further_attempt_is_not_the_same_attempt_twice() {
        SlotTotals totals = SlotTotals.of(new Story()
                .call(1, 1000, 1, 1)
                .call(1, 1000, 2, 2)
                .call(2, 1000, 1, 1)
                .call(2, 1000, 1, 1)
                .history());

        assertEquals(1, totals.calledAgain());
        assertEquals(1, totals.calledTwice());
    }
}
