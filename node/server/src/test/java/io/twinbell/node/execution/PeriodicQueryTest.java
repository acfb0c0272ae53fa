package io.twinbell.node.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PeriodicQueryTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final HandTicker ticker = new HandTicker();
    private final Loop loop = new Loop("test", ticker);
    private final PeriodicQuery query = new PeriodicQuery(MINUTE, ticker, loop);

    @Test
    void any_failure_is_reported_by_the_loop_and_stops_no_other_job_of_the_thread() {
        long sleep = query.step(() -> {
            throw new IllegalArgumentException("a row that cannot be read");
        });
        assertEquals(MINUTE.toNanos(), sleep);
        assertTrue(loop.state().lastError().contains("a row that cannot be read"));
        ticker.pass(MINUTE);
        query.step(() -> {});
        assertEquals(0, loop.state().failures());
    }
}
