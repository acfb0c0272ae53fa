package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan.Once;
import io.twinbell.tools.check.history.ReceivedCall;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the checker excuses of a process that was stopped or has died, and what it does not. */
class StragglersTest {
    @Test
    void a_call_that_was_started_before_its_process_was_stopped_may_arrive_after_a_new_epoch() {
        assertEquals(List.of(), twoEpochsCall(7000).stopped(1, 7000).broken());
    }

    @Test
    void a_call_that_was_started_after_its_process_was_stopped_is_found() {
        assertEquals(
                List.of(Rule.CALLED_LATE, Rule.EPOCH_BACKWARDS),
                twoEpochsCall(7000).stopped(1, 6999).broken());
        assertEquals(
                List.of(Rule.CALLED_LATE, Rule.EPOCH_BACKWARDS),
                twoEpochsCall(7000).stopped(2, 9000).broken());
    }

    @Test
    void a_straggling_call_may_overlap_a_later_run() {
        ReceivedCall straggler = new ReceivedCall(new CheckedSlot(1, 4000), 1, 1, 7_000_000, 0);
        Story story = new Story()
                .task(1, new Once(4000), true, false)
                .row(1, 4000, State.SUCCEEDED, 2, 2)
                .call(straggler)
                .call(new ReceivedCall(new CheckedSlot(1, 4000), 2, 2, 7_000_500, 1));

        assertTrue(story.broken().contains(Rule.RAN_BESIDE));
        assertEquals(List.of(), story.stopped(1, 4000).broken());
    }

    @Test
    void a_rerun_by_the_successor_repeats_a_call_of_a_dead_process() {
        assertEquals(List.of(Rule.RAN_BESIDE), runsAgain().stopped(1, 6000).broken());
        assertEquals(List.of(), runsAgain().died(1, 6000).broken());
        assertEquals(List.of(Rule.RAN_BESIDE), runsAgain().died(2, 6000).broken());
        assertEquals(List.of(Rule.RAN_BESIDE), runsAgain().died(1, 3999).broken());
    }

    /** The first call arrives at once, and is still under way when the second comes. */
    private static Story runsAgain() {
        return runsAgainAt(5_060_000);
    }

    private static Story runsAgainAt(long micros) {
        return new Story()
                .task(1, new Once(4000), true, false)
                .row(1, 4000, State.SUCCEEDED, 2, 2)
                .call(new ReceivedCall(new CheckedSlot(1, 4000), 1, 1, 4_990_500, 0))
                .call(new ReceivedCall(new CheckedSlot(1, 4000), 2, 2, micros, 1, List.of(1L)));
    }

    @Test
    void a_slow_receiver_may_be_at_a_call_of_a_dead_process_for_long() {
        assertEquals(List.of(), runsAgainAt(8_900_000).died(1, 6000).broken());
    }

    @Test
    void a_dead_processs_calls_excuse_no_overlap_within_its_successor() {
        Story story = new Story()
                .task(1, new Once(4000), true, false)
                .row(1, 4000, State.SUCCEEDED, 2, 2)
                .call(new ReceivedCall(new CheckedSlot(1, 4000), 1, 1, 4_990_500, 0))
                .call(new ReceivedCall(new CheckedSlot(1, 4000), 2, 2, 5_060_000, 1, List.of()))
                .died(1, 6000);

        assertEquals(List.of(Rule.RAN_BESIDE), story.broken());
    }

    @Test
    void rows_sent_by_a_dead_process_are_read_soon_after_its_death() {
        assertEquals(List.of(), twoEpochsCall(7000).died(1, 7000).broken());
        assertEquals(
                List.of(Rule.CALLED_LATE, Rule.EPOCH_BACKWARDS),
                twoEpochsCall(7000).died(1, 7001).broken(),
                "it lived when it called, and was fenced");
        Story muchLater = new Story()
                .task(1, new Once(6000), true, false)
                .succeeded(1, 6000)
                .task(2, new Once(6500), true, false)
                .row(2, 6500, State.SUCCEEDED, 2, 2)
                .call(2, 6500, 2, 2)
                .call(new ReceivedCall(new CheckedSlot(2, 6500), 1, 1, 7_600_000, 0))
                .died(1, 6500);
        assertEquals(List.of(Rule.CALLED_LATE, Rule.EPOCH_BACKWARDS), muchLater.broken());
    }

    @Test
    void a_process_that_dies_later_must_not_run_a_task_beside_itself() {
        Story story = new Story()
                .task(1, new Once(4000), false, false)
                .row(1, 4000, State.SUCCEEDED, 1, 1)
                .call(new ReceivedCall(new CheckedSlot(1, 4000), 1, 1, 4_000_500, 1))
                .died(1, 6000);

        assertEquals(List.of(Rule.RAN_BESIDE), story.broken());
    }

    private static Story twoEpochsCall(long fire) {
        return new Story()
                .task(1, new Once(6000), true, false)
                .task(2, new Once(fire), true, false)
                .succeeded(1, 6000)
                .row(2, fire, State.SUCCEEDED, 2, 2)
                .call(2, fire, 1, 1)
                .call(2, fire, 2, 2);
    }
}
