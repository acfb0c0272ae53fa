package io.twinbell.node.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.execution.store.UnfinishedExecutions.Claimed;
import io.twinbell.node.execution.store.UnfinishedExecutions.UnfinishedPage;
import io.twinbell.node.execution.store.UnfinishedExecutions.UsualRunTime;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StuckDecisionTest {
    private static final long NOW = 1_000_000_000;

    private static Optional<String> running(long epoch, long forMillis, int runs, long p99) {
        return decide(epoch, ExecutionState.RUNNING, OptionalLong.of(NOW - forMillis), new UsualRunTime(runs, p99));
    }

    private static Optional<String> decide(long epoch, ExecutionState state, OptionalLong started, UsualRunTime usual) {
        Attempt attempt = new Attempt(new Slot(1, NOW - 3_600_000), "a", "n", 1, epoch, "a", List.of());
        UnfinishedPage unfinishedPage = new UnfinishedPage(NOW, 7, NOW - 60_000, Set.of(5L), 0, List.of());
        return StuckDecision.decide(new Claimed(attempt, state, started, usual), unfinishedPage);
    }

    @Test
    void a_run_that_takes_ten_times_what_its_task_takes_is_stuck() {
        assertEquals(Optional.empty(), running(7, 99_000, 20, 10_000));
        assertEquals(
                Optional.of("has run for PT1M41S; 99 % of its last 20 runs took at most PT10S"),
                running(7, 101_000, 20, 10_000));
    }

    @Test
    void no_finding_is_made_within_a_minute_or_from_too_little_history() {
        assertEquals(Optional.empty(), running(7, 60_000, 200, 5));
        assertTrue(running(7, 60_001, 200, 5).isPresent());
        assertEquals(Optional.empty(), running(7, 3_600_000, 19, 5));
    }

    @Test
    void an_unsettled_claim_of_an_ended_epoch_is_stuck_unless_it_drains() {
        assertEquals(Optional.of("claimed under epoch 6, which has ended, but not settled"), running(6, 1, 0, 0));
        assertEquals(Optional.empty(), running(5, 1, 0, 0));
    }

    @Test
    void a_claim_that_does_not_start_is_stuck() {
        assertTrue(decide(7, ExecutionState.CLAIMED, OptionalLong.empty(), new UsualRunTime(0, 0))
                .orElseThrow()
                .startsWith("claimed but not started"));
    }
}
