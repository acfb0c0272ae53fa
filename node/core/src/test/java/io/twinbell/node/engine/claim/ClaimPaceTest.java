package io.twinbell.node.engine.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimPaceTest {
    private static final Duration SLOW = ClaimPace.LONGEST.plusMillis(1);
    private static final Duration QUICK = ClaimPace.LONGEST.dividedBy(4);

    private final ClaimPace pace = new ClaimPace(500);

    @Test
    void a_slow_statement_halves_the_next_one_down_to_the_least() {
        pace.claimed(500, SLOW);
        assertEquals(250, pace.rows());
        pace.claimed(120, SLOW);
        assertEquals(60, pace.rows());
        pace.claimed(60, SLOW);
        assertEquals(ClaimPace.LEAST, pace.rows());
        pace.claimed(ClaimPace.LEAST, SLOW);
        assertEquals(ClaimPace.LEAST, pace.rows());
    }

    @Test
    void quick_statements_return_to_the_maximum() {
        pace.claimed(500, SLOW);
        pace.claimed(250, ClaimPace.LONGEST);
        assertEquals(250, pace.rows());
        pace.claimed(250, QUICK);
        pace.claimed(0, QUICK);
        assertEquals(500, pace.rows());
    }

    @Test
    void a_slow_statement_for_few_rows_changes_nothing() {
        pace.claimed(3, SLOW);
        assertEquals(500, pace.rows());
    }
}
