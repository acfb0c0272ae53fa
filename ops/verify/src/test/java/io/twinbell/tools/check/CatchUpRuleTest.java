package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** All faults are repaired at 5000, and the pair has two seconds to catch up. */
class CatchUpRuleTest {
    @Test
    void an_overdue_slot_is_claimed_in_time() {
        assertEquals(List.of(), claimed(1000, 7000).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), claimed(1000, 7001).broken());
    }

    @Test
    void a_slot_due_shortly_before_has_the_usual_time() {
        assertEquals(List.of(), claimed(6900, 8900).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), claimed(6900, 8901).broken());
    }

    @Test
    void a_later_slot_is_claimed_when_it_is_due() {
        assertEquals(List.of(), claimed(7500, 9500).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), claimed(7500, 9501).broken());
    }

    @Test
    void a_slot_may_wait_for_another_run_of_its_task() {
        Story behindAnother = claimed(1000, 8000)
                .row(new LedgerRow(
                        new CheckedSlot(1, 900),
                        new LedgerRow.CoveredRange(900, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(1, 2, OptionalLong.of(5100)),
                        new LedgerRow.Times(OptionalLong.of(5200), OptionalLong.of(7900)),
                        null));

        assertEquals(List.of(Rule.UNPLANNED), behindAnother.broken());
    }

    @Test
    void a_row_for_many_slots_is_as_late_as_its_first() {
        assertEquals(List.of(), missed(1000, 7000).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), missed(1000, 7001).broken());
    }

    @Test
    void a_retry_is_claimed_when_it_is_due() {
        assertEquals(List.of(), retried(6000, 8000).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), retried(6000, 8001).broken());
        assertEquals(List.of(), retried(7500, 9500).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), retried(7500, 9501).broken());
    }

    @Test
    void a_dead_masters_runs_are_rerun_in_time_after_the_next_epoch_opens() {
        assertEquals(List.of(), rerun(8000).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), rerun(8001).broken());
    }

    @Test
    void no_rule_judges_an_attempt_whose_due_time_is_unknown() {
        assertEquals(List.of(), attempt(OptionalLong.empty(), 9900, null).broken());
    }

    @Test
    void slots_passed_over_by_a_change_had_not_been_forgotten_until_then() {
        assertEquals(List.of(), passedOver(1000, 7000, 7001).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), passedOver(1000, 7001, 7002).broken());
        assertEquals(List.of(), passedOver(7500, 9500, 9501).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), passedOver(7500, 9501, 9502).broken());
    }

    @Test
    void slots_passed_over_by_a_change_are_entered_soon() {
        assertEquals(List.of(), passedOver(4500, 4600, 9600).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), passedOver(4500, 4600, 9601).broken());
        assertEquals(List.of(), passedOver(900, 1000, 7000).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), passedOver(900, 1000, 7001).broken());
    }

    private static Story missed(long fire, long claimed) {
        return new Story()
                .task(new WatchedTask(
                        1,
                        "t1",
                        new OwedSlotPlan.Grid(fire, 500),
                        Story.policies(false, false, 1),
                        new WatchedTask.WatchPeriod(6500, OptionalLong.empty(), List.of())))
                .peace(new History.RecoveryPeriod(5000, 2000))
                .row(new LedgerRow(
                        new CheckedSlot(1, fire),
                        new LedgerRow.CoveredRange(6500, (6500 - fire) / 500 + 1),
                        State.MISSED,
                        new LedgerRow.LatestClaim(1, 2, OptionalLong.of(claimed)),
                        new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(claimed)),
                        "misfire"));
    }

    private static Story retried(long due, long claimed) {
        return attempt(OptionalLong.of(due), claimed, null);
    }

    private static Story rerun(long claimed) {
        return attempt(
                OptionalLong.empty(), claimed, "attempt 1 was left without an outcome by a (epoch 1); run again");
    }

    private static Story attempt(OptionalLong due, long claimed, String reason) {
        return new Story()
                .task(1, new OwedSlotPlan.Once(4000), Story.policies(true, false, 2))
                .peace(new History.RecoveryPeriod(5000, 2000))
                .row(new LedgerRow(
                        new CheckedSlot(1, 4000),
                        new LedgerRow.CoveredRange(4000, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(2, 2, OptionalLong.of(claimed)),
                        new LedgerRow.Times(
                                OptionalLong.of(claimed), OptionalLong.of(claimed + 1), OptionalLong.empty(), due),
                        reason));
    }

    private static Story passedOver(long fire, long changed, long entered) {
        return new Story()
                .task(1, new OwedSlotPlan.Once(fire), Story.policies(false, false, 1), RuleContext.Change.at(changed))
                .peace(new History.RecoveryPeriod(5000, 2000))
                .row(new LedgerRow(
                        new CheckedSlot(1, fire),
                        new LedgerRow.CoveredRange(fire, 1),
                        State.MISSED,
                        new LedgerRow.LatestClaim(1, 0, OptionalLong.empty()),
                        new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(entered)),
                        "its task was removed before it was claimed"));
    }

    private static Story claimed(long fire, long claimedMillis) {
        return new Story()
                .task(1, new OwedSlotPlan.Once(fire), false, false)
                .peace(new History.RecoveryPeriod(5000, 2000))
                .row(new LedgerRow(
                        new CheckedSlot(1, fire),
                        new LedgerRow.CoveredRange(fire, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(1, 2, OptionalLong.of(claimedMillis)),
                        new LedgerRow.Times(OptionalLong.of(claimedMillis), OptionalLong.of(claimedMillis + 1)),
                        null));
    }
}
