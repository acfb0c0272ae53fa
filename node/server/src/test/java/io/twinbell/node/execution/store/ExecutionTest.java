package io.twinbell.node.execution.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.ledger.ExecutionState;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ExecutionTest {
    @Test
    void the_backoff_before_a_later_attempt_is_no_lateness() {
        assertEquals(OptionalLong.of(7), started(1).latenessMillis());
        assertEquals(OptionalLong.empty(), started(2).latenessMillis());
    }

    private static Execution started(int attempt) {
        return new Execution(
                new Execution.Slots(1, 1000, OptionalLong.empty(), 1),
                "shop",
                "close",
                ExecutionState.RUNNING,
                null,
                new Execution.LatestClaim(attempt, 0, 0, "a", OptionalLong.of(1), null, null),
                new Execution.Times(
                        OptionalLong.of(990), OptionalLong.of(1007), OptionalLong.empty(), OptionalLong.empty()),
                null,
                null);
    }
}
