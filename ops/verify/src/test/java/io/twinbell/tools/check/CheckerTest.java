package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.OwedSlotPlan.Chain;
import io.twinbell.tools.check.history.OwedSlotPlan.Grid;
import io.twinbell.tools.check.history.OwedSlotPlan.Once;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CheckerTest {
    private static final long TASK = 7;

    @Test
    void a_history_in_which_every_slot_succeeded_once_is_fine() {
        Story story = everySecond().task(8, new Once(4321), true, false).succeeded(8, 4321);
        LongStream.rangeClosed(1, 10).forEach(second -> story.succeeded(TASK, second * 1000));

        assertEquals(List.of(), story.violations());
    }

    @Test
    void a_run_in_flight_at_the_masters_death_may_be_dropped_or_rerun_as_its_task_says() {
        Story story = new Story()
                .task(1, new Once(4990), false, false)
                .task(2, new Once(4990), true, false)
                .row(1, 4990, State.DROPPED, 1, 1)
                .call(1, 4990, 1, 1)
                .call(2, 4990, 1, 1)
                .row(2, 4990, State.SUCCEEDED, 2, 2)
                .call(2, 4990, 2, 2);

        assertEquals(List.of(), story.violations());
    }

    @Test
    void one_row_may_stand_for_many_slots() {
        Story story = everySecond().succeeded(TASK, 1000).row(TASK, 2000, 10_000, 9, State.MISSED);

        assertEquals(List.of(), story.violations());
    }

    @Test
    void a_slot_after_the_end_may_be_in_the_ledger_or_not() {
        Story story = new Story().task(1, new Grid(9000, 1050), false, false).succeeded(1, 9000);
        assertEquals(List.of(), story.violations());

        story.succeeded(1, 10_050);
        assertEquals(List.of(), story.violations());
    }

    @Test
    void a_lost_slot_is_named() {
        Story story = everySecond();
        LongStream.rangeClosed(1, 10)
                .filter(second -> second != 6)
                .forEach(second -> story.succeeded(TASK, second * 1000));

        assertEquals(List.of(new Violation(Rule.LOST, new CheckedSlot(TASK, 6000), "t7")), story.violations());
    }

    @Test
    void a_task_of_which_the_ledger_knows_nothing_lost_all_it_owed() {
        assertEquals(10, everySecond().violations().size());
        assertEquals(
                List.of(Rule.LOST),
                new Story().task(1, new Once(9999), true, true).broken());
        assertEquals(
                List.of(), new Story().task(1, new Once(10_001), true, true).broken());
    }

    @Test
    void a_slot_that_two_rows_stand_for_is_found() {
        Story story = everySecond().row(TASK, 1000, 5000, 5, State.MISSED).row(TASK, 5000, 10_000, 6, State.SKIPPED);

        assertEquals(
                List.of(new Violation(
                        Rule.COVERED_TWICE,
                        new CheckedSlot(TASK, 5000),
                        "also covered by the row of task 7 at 1970-01-01T00:00:05Z")),
                story.violations());
    }

    @Test
    void a_row_beside_the_schedule_is_found() {
        assertEquals(List.of(Rule.UNPLANNED), ten().succeeded(TASK, 1500).broken());
    }

    @Test
    void a_row_that_counts_its_slots_wrongly_is_found() {
        assertEquals(
                List.of(Rule.MISCOUNTED),
                everySecond().row(TASK, 1000, 10_000, 9, State.MISSED).broken());
    }

    @Test
    void a_row_without_an_outcome_is_found() {
        Story story = new Story().task(1, new Once(4990), true, false).row(1, 4990, State.RUNNING, 1, 1);

        assertEquals(List.of(Rule.UNFINISHED), story.broken());
    }

    @Test
    void a_task_that_only_its_stop_brought_into_the_ledger_had_been_forgotten() {
        OwedSlotPlan plan = new Grid(1000, 1000);
        WatchedTask stuck = new WatchedTask(
                1,
                "stuck",
                plan,
                Story.policies(false, false, 1),
                new WatchedTask.WatchPeriod(10_000, OptionalLong.of(5000), List.of(RuleContext.Change.ANY_TIME)));
        Story story = new Story().task(stuck).row(1, 5000, 10_000, 6, State.SKIPPED);
        LongStream.rangeClosed(1, 4).forEach(second -> story.succeeded(1, second * 1000));

        assertEquals(List.of(Rule.NOT_CAUGHT_UP), story.broken());
    }

    @Test
    void a_handler_that_started_before_its_time_is_found() {
        Story story = new Story()
                .task(1, new Once(3000), false, false)
                .row(1, 3000, State.SUCCEEDED, 1, 1, 2999)
                .call(1, 3000, 1, 1);

        assertEquals(List.of(Rule.EARLY), story.broken());
    }

    @Test
    void a_call_before_its_time_is_found() {
        Story story = new Story()
                .task(1, new Once(3000), false, false)
                .row(1, 3000, State.SUCCEEDED, 1, 1)
                .call(new ReceivedCall(new CheckedSlot(1, 3000), 1, 1, 2_999_999, 0));

        assertEquals(
                List.of(new Violation(Rule.EARLY, new CheckedSlot(1, 3000), "called 1 us before its fire time")),
                story.violations());
    }

    @Test
    void an_attempt_that_was_called_twice_is_found_in_one_epoch_and_across_two() {
        assertEquals(List.of(Rule.CALLED_TWICE), ten().call(TASK, 1000, 1, 1).broken());
        assertEquals(List.of(Rule.CALLED_TWICE), ten().call(TASK, 4000, 1, 2).broken());
    }

    @Test
    void a_second_attempt_of_a_task_that_drops_orphans_is_found() {
        Story story = new Story()
                .task(1, new Once(4990), false, false)
                .call(1, 4990, 1, 1)
                .row(1, 4990, State.SUCCEEDED, 2, 2)
                .call(1, 4990, 2, 2);

        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), story.broken());
    }

    @Test
    void a_second_attempt_under_the_same_epoch_is_found() {
        Story story = new Story()
                .task(1, new Once(6000), true, false)
                .call(1, 6000, 1, 2)
                .row(1, 6000, State.SUCCEEDED, 2, 2)
                .call(1, 6000, 2, 2);

        assertEquals(List.of(Rule.CALLED_LATE, Rule.ATTEMPT_UNEXPLAINED), story.broken());
    }

    @Test
    void more_attempts_than_changes_of_master_are_found() {
        Story story = new Story()
                .task(1, new Once(4990), true, false)
                .row(1, 4990, State.SUCCEEDED, 3, 2)
                .call(1, 4990, 3, 2);

        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), story.broken());
    }

    @Test
    void an_execution_must_not_be_dropped_by_a_living_master_nor_where_its_task_reruns() {
        Story ofTheLiving = new Story().task(1, new Once(6000), false, false).row(1, 6000, State.DROPPED, 1, 2);
        assertEquals(List.of(Rule.DROPPED_UNEXPLAINED), ofTheLiving.broken());

        Story rerun = new Story().task(1, new Once(4990), true, false).row(1, 4990, State.DROPPED, 1, 1);
        assertEquals(List.of(Rule.DROPPED_UNEXPLAINED), rerun.broken());
    }

    @Test
    void a_success_that_the_receiver_knows_nothing_of_is_found() {
        Story story = new Story().task(1, new Once(3000), false, false).row(1, 3000, State.SUCCEEDED, 1, 1);

        assertEquals(List.of(Rule.SUCCESS_WITHOUT_CALL), story.broken());
    }

    @Test
    void a_success_needs_the_call_of_its_own_attempt_and_epoch() {
        Story otherAttempt = new Story()
                .task(1, new Once(4990), true, false)
                .call(1, 4990, 1, 1)
                .row(1, 4990, State.SUCCEEDED, 2, 2);
        assertEquals(List.of(Rule.SUCCESS_WITHOUT_CALL), otherAttempt.broken());

        Story otherEpoch = new Story()
                .task(1, new Once(4990), true, false)
                .call(1, 4990, 1, 1)
                .row(1, 4990, State.SUCCEEDED, 1, 2);
        assertEquals(List.of(Rule.SUCCESS_WITHOUT_CALL, Rule.CALL_WITHOUT_ROW), otherEpoch.broken());
    }

    @Test
    void a_call_that_the_ledger_knows_nothing_of_is_found() {
        assertEquals(
                List.of(Rule.CALL_WITHOUT_ROW),
                new Story()
                        .task(1, new Once(20_000), false, false)
                        .call(1, 20_000, 1, 2)
                        .broken());
    }

    @Test
    void a_call_in_an_attempt_that_a_ledger_without_its_latest_history_lacks_is_found() {
        Story story = new Story()
                .task(1, new Once(4990), true, false)
                .call(1, 4990, 1, 1)
                .call(1, 4990, 2, 2)
                .row(1, 4990, State.CANCELLED, 1, 1);

        assertEquals(List.of(Rule.CALL_WITHOUT_ROW), story.broken());
    }

    @Test
    void a_call_under_a_claim_that_the_ledger_lacks_is_found_though_the_slot_is_there() {
        Story story = new Story()
                .task(1, new Once(4990), true, false)
                .call(1, 4990, 1, 1)
                .row(1, 4990, State.FAILED, 1, 2);

        assertEquals(List.of(Rule.CALL_WITHOUT_ROW), story.broken());
    }

    @Test
    void a_call_under_an_epoch_of_which_the_database_knows_nothing_is_found() {
        Story story = new Story()
                .task(1, new Once(6000), false, false)
                .call(1, 6000, 1, 3)
                .row(1, 6000, State.FAILED, 1, 2);

        assertEquals(List.of(Rule.CALL_WITHOUT_ROW, Rule.EPOCH_UNKNOWN), story.broken());
    }

    @Test
    void a_call_of_what_the_ledger_says_was_not_run_is_found() {
        Story story = new Story()
                .task(1, new Once(3000), false, false)
                .row(1, 3000, State.SKIPPED, 1, 1)
                .call(1, 3000, 1, 1);

        assertEquals(List.of(Rule.SKIPPED_UNEXPLAINED, Rule.CALL_OF_UNRUN), story.broken());
    }

    @Test
    void a_run_beside_another_is_found_unless_the_task_allows_it() {
        for (boolean overlaps : new boolean[] {true, false}) {
            Story story = new Story()
                    .task(1, new Once(3000), false, overlaps)
                    .row(1, 3000, State.SUCCEEDED, 1, 1)
                    .call(1, 3000, 1, 1, 1);

            assertEquals(overlaps ? List.of() : List.of(Rule.RAN_BESIDE), story.broken());
        }
    }

    @Test
    void an_old_epoch_that_calls_after_a_new_one_is_found() {
        Story story = new Story()
                .task(1, new Once(6000), true, false)
                .task(2, new Once(7000), true, false)
                .succeeded(1, 6000)
                .row(2, 7000, State.SUCCEEDED, 2, 2)
                .call(2, 7000, 1, 1)
                .call(2, 7000, 2, 2);

        assertEquals(List.of(Rule.CALLED_LATE, Rule.EPOCH_BACKWARDS), story.broken());
    }

    @Test
    void an_old_epoch_that_claims_after_a_new_one_is_found() {
        Story story = new Story()
                .task(1, new Once(6000), false, false)
                .task(2, new Once(7000), false, false)
                .succeeded(1, 6000)
                .row(2, 7000, State.FAILED, 1, 1);

        assertEquals(List.of(Rule.EPOCH_BACKWARDS), story.broken());
    }

    @Test
    void an_epoch_that_is_opened_twice_or_after_a_later_one_is_found() {
        assertEquals(
                List.of(Rule.EPOCH_SHARED),
                new Story().opening(new EpochOpening(2, "a", 6000)).broken());
        assertEquals(
                List.of(Rule.EPOCH_BACKWARDS),
                new Story().opening(new EpochOpening(1, "a", 6000)).broken());
    }

    @Test
    void a_fixed_delay_counts_from_the_end_of_each_run() {
        assertEquals(List.of(), chain().succeeded(1, 9510).violations());
    }

    @Test
    void a_fixed_delay_that_counts_from_anything_else_is_found() {
        assertEquals(List.of(Rule.CHAIN_BROKEN), chain().succeeded(1, 9505).broken());
        assertEquals(List.of(Rule.CHAIN_BROKEN), chain().succeeded(1, 9515).broken());
    }

    @Test
    void a_fixed_delay_counts_from_the_settling_where_its_run_was_dropped() {
        Story story = new Story()
                .task(1, new Chain(4990, 3000), false, false)
                .row(1, 4990, State.DROPPED, 1, 1, 6100)
                .succeeded(1, 9095);

        assertEquals(List.of(), story.violations());
    }

    @Test
    void a_chain_that_ends_before_the_task_was_stopped_is_found() {
        assertEquals(
                List.of(new Violation(Rule.LOST, new CheckedSlot(1, 9510), "the chain ends here")),
                chain().violations());
    }

    @Test
    void a_chain_whose_run_has_not_ended_cannot_go_on() {
        Story story = new Story()
                .task(1, new Chain(8000, 500), false, false)
                .row(1, 8000, State.RUNNING, 1, 2)
                .succeeded(1, 9000)
                .succeeded(1, 9505);

        assertEquals(List.of(Rule.UNFINISHED, Rule.CHAIN_BROKEN), story.broken());
    }

    /** Each run ends 5 ms after its fire time; the next that is owed fires at 9510. */
    private static Story chain() {
        return new Story()
                .task(1, new Chain(8500, 500), false, false)
                .succeeded(1, 8500)
                .succeeded(1, 9005);
    }

    private static Story everySecond() {
        return new Story().task(TASK, new Grid(1000, 1000), false, false);
    }

    private static Story ten() {
        Story story = everySecond();
        LongStream.rangeClosed(1, 10).forEach(second -> story.succeeded(TASK, second * 1000));
        return story;
    }
}
