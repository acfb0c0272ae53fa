package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.OwedSlotPlan.Chain;
import io.twinbell.tools.check.history.OwedSlotPlan.Once;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Epoch 1 is lost together with the database's commits since 4000; epoch 2 names what it may have run. */
class DoubtRuleTest {
    private static final long FIRE = 4500;

    @Test
    void a_call_is_explained_by_a_row_that_says_that_its_slot_is_in_doubt() {
        assertEquals(
                List.of(),
                once(false)
                        .lost(4000, 5000)
                        .row(named(FIRE, State.DROPPED))
                        .call(1, FIRE, 1, 1)
                        .broken());
        assertEquals(
                List.of(Rule.DROPPED_UNEXPLAINED, Rule.CALL_WITHOUT_ROW),
                once(false)
                        .lost(4000, 5000)
                        .row(1, FIRE, State.DROPPED, 1, 2, 5001)
                        .call(1, FIRE, 1, 1)
                        .broken(),
                "it was dropped and does not say why");
    }

    @Test
    void a_slot_that_was_called_and_is_not_named_is_an_offence() {
        assertEquals(
                List.of(Rule.LOST, Rule.CALL_WITHOUT_ROW),
                once(false).lost(4000, 5000).call(1, FIRE, 1, 1).broken());
    }

    @Test
    void a_slot_is_not_named_where_nothing_was_lost_or_of_another_time() {
        assertEquals(
                List.of(Rule.DOUBT_UNEXPLAINED),
                once(false).row(named(FIRE, State.DROPPED)).broken());
        assertEquals(
                List.of(Rule.DOUBT_UNEXPLAINED),
                once(false).lost(4501, 5000).row(named(FIRE, State.DROPPED)).broken());
        assertEquals(
                List.of(Rule.DOUBT_UNEXPLAINED),
                once(false).lost(4000, 4499).row(named(FIRE, State.DROPPED)).broken());
    }

    @Test
    void a_slot_in_doubt_is_called_twice_only_if_its_task_wants_that() {
        assertEquals(List.of(), calledAgain(true).broken());
        assertEquals(List.of(Rule.CALLED_TWICE), calledAgain(false).broken());
        assertEquals(
                List.of(Rule.CALLED_TWICE),
                calledAgain(true).call(1, FIRE, 1, 2).broken(),
                "the successor itself calls it once");
    }

    @Test
    void later_slots_of_a_fixed_delay_cannot_be_named() {
        Story chain = new Story()
                .task(1, new Chain(FIRE, 5600), false, true)
                .lost(4000, 5000)
                .row(named(FIRE, State.DROPPED))
                .call(1, FIRE, 1, 1);
        assertEquals(List.of(), chain.call(1, 4700, 1, 1).broken());
        assertEquals(List.of(Rule.CALL_WITHOUT_ROW), chain.call(1, 3900, 1, 1).broken());
    }

    @Test
    void a_slot_declared_missed_after_a_restore_explains_earlier_calls() {
        LedgerRow restored = row(4000, 4900, 10, State.MISSED, LedgerReasons.RESTORED + "; adopted by bob: x");
        Story story = new Story()
                .task(1, new OwedSlotPlan.Grid(4000, 100), false, true)
                .lost(4000, 5000)
                .row(restored)
                .call(1, 4000, 1, 1)
                .call(1, 4300, 1, 1);
        for (long fire = 5000; fire <= Story.STOPPED; fire += 100) {
            story.succeeded(1, fire);
        }
        assertEquals(List.of(), story.broken());
        assertEquals(
                List.of(Rule.CALL_OF_UNRUN),
                story.call(1, 4000, 1, 2).broken().stream()
                        .filter(rule -> rule == Rule.CALL_OF_UNRUN)
                        .toList());
    }

    private static Story once(boolean reruns) {
        return new Story().task(1, new Once(FIRE), reruns, true);
    }

    private static Story calledAgain(boolean reruns) {
        return once(reruns)
                .lost(4000, 5000)
                .row(named(FIRE, State.SUCCEEDED))
                .call(1, FIRE, 1, 1)
                .call(1, FIRE, 1, 2);
    }

    private static LedgerRow named(long fire, State state) {
        return row(fire, fire, 1, state, LedgerReasons.IN_DOUBT + "; so it is");
    }

    private static LedgerRow row(long fire, long until, long slots, State state, String reason) {
        boolean isRun = state == State.SUCCEEDED;
        return new LedgerRow(
                new CheckedSlot(1, fire),
                new LedgerRow.CoveredRange(until, slots),
                state,
                new LedgerRow.LatestClaim(1, 2, OptionalLong.of(5000)),
                new LedgerRow.Times(
                        isRun ? OptionalLong.of(5001) : OptionalLong.empty(),
                        OptionalLong.of(5002),
                        OptionalLong.empty()),
                reason);
    }
}
