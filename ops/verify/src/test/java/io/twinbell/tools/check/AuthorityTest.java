package io.twinbell.tools.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.OwedSlotPlan.Once;
import io.twinbell.tools.check.history.ReceivedCall;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Who may claim, start and try again, and when. */
class AuthorityTest {
    @Test
    void a_claim_after_a_later_epoch_was_opened_is_found_though_that_one_has_claimed_nothing() {
        Story story = new Story().task(1, new Once(5500), false, false).row(1, 5500, State.FAILED, 1, 1);

        assertEquals(List.of(Rule.EPOCH_BACKWARDS), story.broken());
    }

    @Test
    void a_claim_may_start_for_a_second_after_the_next_epoch_and_no_longer() {
        Story late = new Story()
                .task(1, new Once(4990), false, false)
                .row(1, 4990, State.DROPPED, 1, 1, 6500)
                .call(new ReceivedCall(new CheckedSlot(1, 4990), 1, 1, 6_000_000, 0));
        assertEquals(List.of(), late.broken());

        Story tooLate = new Story()
                .task(1, new Once(4990), false, false)
                .row(1, 4990, State.DROPPED, 1, 1, 6500)
                .call(new ReceivedCall(new CheckedSlot(1, 4990), 1, 1, 6_000_001, 0));
        assertEquals(List.of(Rule.EPOCH_BACKWARDS), tooLate.broken());
    }

    @Test
    void a_claim_by_a_node_that_does_not_own_the_epoch_is_found() {
        assertEquals(List.of(), claimedBy("b").broken());
        assertEquals(List.of(Rule.EPOCH_SHARED), claimedBy("a").broken());
    }

    private static Story claimedBy(String node) {
        return new Story()
                .task(1, new Once(6000), false, false)
                .row(new LedgerRow(
                        new CheckedSlot(1, 6000),
                        new LedgerRow.CoveredRange(6000, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(1, 2, OptionalLong.of(5990), node),
                        new LedgerRow.Times(OptionalLong.of(6000), OptionalLong.of(6001)),
                        null));
    }

    @Test
    void a_claim_that_the_ledger_has_rounded_up_was_there_before_the_call() {
        assertEquals(List.of(), claimedAndCalled(3002, 3_001_600).broken());
        assertEquals(
                List.of(Rule.CALLED_UNCLAIMED),
                claimedAndCalled(3002, 3_000_900).broken());
    }

    private static Story claimedAndCalled(long claimedMillis, long calledMicros) {
        return new Story()
                .task(1, new Once(3000), false, false)
                .row(new LedgerRow(
                        new CheckedSlot(1, 3000),
                        new LedgerRow.CoveredRange(3000, 1),
                        State.SUCCEEDED,
                        new LedgerRow.LatestClaim(1, 1, OptionalLong.of(claimedMillis)),
                        new LedgerRow.Times(OptionalLong.of(3002), OptionalLong.of(3100)),
                        null))
                .call(new ReceivedCall(new CheckedSlot(1, 3000), 1, 1, calledMicros, 0));
    }

    @Test
    void a_handler_that_starts_before_the_claim_is_in_the_ledger_is_found() {
        Story story = new Story()
                .task(1, new Once(3000), false, false)
                .row(new LedgerRow(
                        new CheckedSlot(1, 3000),
                        new LedgerRow.CoveredRange(3000, 1),
                        State.SUCCEEDED,
                        new LedgerRow.LatestClaim(1, 1, OptionalLong.of(3100)),
                        new LedgerRow.Times(OptionalLong.of(3000), OptionalLong.of(3100)),
                        null))
                .call(1, 3000, 1, 1);

        assertEquals(List.of(Rule.CALLED_UNCLAIMED), story.broken());
    }

    @Test
    void a_handler_that_starts_when_its_attempt_has_been_dropped_is_found() {
        Story story = new Story()
                .task(1, new Once(4990), false, false)
                .row(1, 4990, State.DROPPED, 1, 1, 5100)
                .call(new ReceivedCall(new CheckedSlot(1, 4990), 1, 1, 5_200_000, 0));

        assertEquals(List.of(Rule.CALLED_LATE), story.broken());
    }

    @Test
    void a_handler_that_starts_when_another_attempt_has_taken_its_place_is_found() {
        Story story = new Story()
                .task(1, new Once(4990), true, false)
                .row(1, 4990, State.SUCCEEDED, 2, 2)
                .call(1, 4990, 2, 2)
                .call(new ReceivedCall(new CheckedSlot(1, 4990), 1, 1, 5_200_000, 0));

        assertEquals(List.of(Rule.CALLED_LATE), story.broken());
    }

    @Test
    void an_execution_that_its_own_master_dropped_is_found_though_another_came_later() {
        Story story = new Story().task(1, new Once(3000), false, false).row(1, 3000, State.DROPPED, 1, 1, 4900);

        assertEquals(List.of(Rule.DROPPED_UNEXPLAINED), story.broken());
    }

    @Test
    void attempts_are_explained_by_retry_up_to_its_most() {
        assertEquals(List.of(), tried(3, 3).broken());
        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), tried(4, 3).broken());
    }

    /** A snooze is no attempt of the retry policy. */
    @Test
    void attempts_that_were_snoozed_do_not_count() {
        assertEquals(List.of(), snoozed(4, 3).brokenAlive());
        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), snoozed(4, 2).brokenAlive());
        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), snoozed(4, 5).brokenAlive());
    }

    private static Story snoozed(int attempt, int snoozes) {
        return new Story()
                .task(1, new Once(3000), Story.policies(false, false, 1))
                .row(new LedgerRow(
                        new CheckedSlot(1, 3000),
                        new LedgerRow.CoveredRange(3000, 1),
                        State.SUCCEEDED,
                        new LedgerRow.LatestClaim(attempt, snoozes, 0, 1, OptionalLong.of(3000), null),
                        new LedgerRow.Times(OptionalLong.of(3000), OptionalLong.of(3001)),
                        null));
    }

    /** Each rerun on request explains one attempt, whatever reason a settlement wrote afterwards. */
    @Test
    void reruns_explain_as_many_attempts_as_were_requested() {
        assertEquals(List.of(), requested(3, 2, "retry").brokenAlive());
        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), requested(4, 2, "retry").brokenAlive());
        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), requested(3, 2, "retry").broken());
        String orphaned = "attempt 4 was left without an outcome by b (epoch 2); run again";
        assertEquals(List.of(), requested(5, 2, orphaned).brokenAlive());
        assertEquals(
                List.of(Rule.ATTEMPT_UNEXPLAINED), requested(5, 0, orphaned).brokenAlive());
    }

    @Test
    void an_attempt_that_nobody_requested_is_not_explained_by_its_reason() {
        for (String reason : List.of("caught up: by ann", "run again by hand: the customer has paid")) {
            assertEquals(
                    List.of(Rule.ATTEMPT_UNEXPLAINED), requested(2, 0, reason).brokenAlive());
            assertEquals(List.of(), requested(2, 1, reason).brokenAlive());
        }
    }

    private static Story requested(int attempt, int reruns, String reason) {
        return new Story()
                .task(1, new Once(6000), reason.endsWith("run again"), false)
                .row(new LedgerRow(
                        new CheckedSlot(1, 6000),
                        new LedgerRow.CoveredRange(6000, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(attempt, 0, reruns, 2, OptionalLong.of(7000), null),
                        new LedgerRow.Times(OptionalLong.of(7000), OptionalLong.of(7001)),
                        reason));
    }

    /** A run that kills its nodes must end. */
    @Test
    void a_slot_orphaned_again_and_again_is_not_rerun_for_ever() {
        assertEquals(List.of(), rerun(3).brokenAlive());
        assertEquals(List.of(Rule.ATTEMPT_UNEXPLAINED), rerun(4).brokenAlive());
    }

    private static Story rerun(int attempt) {
        return new Story()
                .task(1, new Once(6000), true, false)
                .row(new LedgerRow(
                        new CheckedSlot(1, 6000),
                        new LedgerRow.CoveredRange(6000, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(attempt, 2, OptionalLong.of(7000)),
                        new LedgerRow.Times(OptionalLong.of(7000), OptionalLong.of(7001)),
                        "attempt " + (attempt - 1) + " was left without an outcome by b (epoch 2); run again"));
    }

    private static Story tried(int attempts, int maxAttempts) {
        Story story = new Story()
                .task(1, new Once(3000), Story.policies(false, false, maxAttempts))
                .row(new LedgerRow(
                        new CheckedSlot(1, 3000),
                        new LedgerRow.CoveredRange(3000, 1),
                        State.FAILED,
                        new LedgerRow.LatestClaim(attempts, 1, OptionalLong.of(3000 + attempts)),
                        new LedgerRow.Times(OptionalLong.of(3000 + attempts), OptionalLong.of(3010)),
                        null));
        for (int attempt = 1; attempt <= attempts; attempt++) {
            story.call(new ReceivedCall(new CheckedSlot(1, 3000), attempt, 1, (3000 + attempt) * 1000, 0));
        }
        return story;
    }

    @Test
    void a_slot_that_can_no_longer_run_may_be_dropped_whatever_its_task_said() {
        LedgerRow dropped = new LedgerRow(
                new CheckedSlot(1, 4990),
                new LedgerRow.CoveredRange(4990, 1),
                State.DROPPED,
                new LedgerRow.LatestClaim(1, 1, OptionalLong.of(4990)),
                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(6000)),
                "attempt 1 was left without an outcome by a (epoch 1); its task is gone");

        assertEquals(
                List.of(),
                new Story().task(1, new Once(4990), true, false).row(dropped).broken());
    }
}
