package io.twinbell.ops.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ops.check.LedgerRow.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LostHistoryTest {
    private static final long PROMOTED = 10_000;

    private final LostHistory history = new LostHistory(
            PROMOTED * 1000, Map.of(new Slot(1, 1000), 1, new Slot(1, 500), 1), Set.of(new Slot(1, 500)));
    private final List<Call> calls = new ArrayList<>();
    private final List<LedgerRow> rows = new ArrayList<>();

    @Test
    void only_what_was_called_before_the_promotion_under_a_claim_that_the_server_lacks_is_lost() {
        assertFalse(history.isLost(made(1000, 1, 9000)), "its claim is there");
        assertTrue(history.isLost(made(1000, 2, 9000)), "a later attempt of the same slot");
        assertTrue(history.isLost(made(2000, 1, 9000)));
        assertFalse(history.isLost(made(2000, 1, 10_000)), "the promoted server has claimed it");
    }

    @Test
    void a_call_that_is_made_again_after_the_promotion_is_explained_once() {
        Call lost = made(2000, 1, 9000);
        Call again = made(2000, 1, 10_500);
        row(2000, State.SUCCEEDED, 1);

        assertEquals(List.of(lost), history.explained(calls, rows).calledAgain());
        assertEquals(List.of(again), LostHistory.without(history.explained(calls, rows), calls));
    }

    @Test
    void two_calls_of_one_attempt_before_the_promotion_are_not_both_explained() {
        made(2000, 1, 9000);
        Call second = made(2000, 1, 9100);
        Call again = made(2000, 1, 10_500);
        row(2000, State.SUCCEEDED, 1);

        assertEquals(List.of(second, again), LostHistory.without(history.explained(calls, rows), calls));
    }

    @Test
    void a_second_call_of_what_the_server_knows_is_not_explained() {
        made(1000, 1, 9000);
        made(1000, 1, 10_500);
        row(1000, State.SUCCEEDED, 1);

        assertEquals(LostHistory.Loss.NONE, history.explained(calls, rows));
        assertEquals(calls, LostHistory.without(history.explained(calls, rows), calls));
    }

    @Test
    void a_call_without_a_row_and_one_whose_slot_was_decided_otherwise_are_told_apart() {
        Call withoutRow = made(2000, 1, 9000);
        Call notRun = made(3000, 1, 9000);
        Call furtherAttempt = made(1000, 2, 9000);
        row(3000, State.SKIPPED, 1);
        row(1000, State.DROPPED, 1);

        LostHistory.Loss loss = history.explained(calls, rows);
        assertEquals(List.of(withoutRow, furtherAttempt), loss.withoutRow());
        assertEquals(List.of(notRun), loss.recordedAsNotRun());
        assertEquals(3, loss.calls());
    }

    @Test
    void what_was_entered_again_as_it_was_remains_to_be_judged() {
        made(2000, 1, 9000);
        row(2000, State.SUCCEEDED, 1);

        assertEquals(calls, LostHistory.without(history.explained(calls, rows), calls));
    }

    @Test
    void an_attempt_whose_outcome_was_lost_counts_as_left_behind_and_no_other_one() {
        assertTrue(history.explains(new Offence(Rule.ATTEMPT_UNEXPLAINED, new Slot(1, 500), "attempt 2")));
        assertFalse(history.explains(new Offence(Rule.ATTEMPT_UNEXPLAINED, new Slot(1, 1000), "attempt 2")));
        assertFalse(history.explains(new Offence(Rule.CALLED_TWICE, new Slot(1, 500), "attempt 1")));
        assertFalse(history.explains(new Offence(Rule.MASTER_CHANGED, null, "")));
    }

    private Call made(long fire, int attempt, long arrived) {
        Call call = new Call(new Slot(1, fire), attempt, 1, arrived * 1000, 0);
        calls.add(call);
        return call;
    }

    private void row(long fire, State state, int attempt) {
        rows.add(new LedgerRow(
                new Slot(1, fire),
                new LedgerRow.Cover(fire, 1),
                state,
                new LedgerRow.Claim(attempt, 1, OptionalLong.of(fire)),
                new LedgerRow.Times(OptionalLong.empty(), OptionalLong.of(fire)),
                null));
    }
}
