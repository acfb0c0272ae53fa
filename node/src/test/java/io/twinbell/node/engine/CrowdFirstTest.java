package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CrowdFirstTest {
    private static final long NEXT_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_NANOS = CrowdFirst.LONGEST.toNanos();

    private long nowNanos = -5;
    private int recorded;
    private boolean isStarting;
    private int queued;

    private final CrowdFirst crowdFirst = new CrowdFirst(this::record, () -> isStarting, () -> queued, () -> nowNanos);

    private long record() {
        recorded++;
        return NEXT_NANOS;
    }

    private void assertGivesWay() {
        int before = recorded;
        long sleep = crowdFirst.step();
        assertTrue(0 < sleep && sleep <= Duration.ofMillis(1).toNanos(), "looks again after " + sleep + " ns");
        assertEquals(before, recorded);
    }

    private void assertRecords() {
        int before = recorded;
        assertEquals(NEXT_NANOS, crowdFirst.step());
        assertEquals(before + 1, recorded);
    }

    @Test
    void few_that_wait_for_a_worker_put_nothing_off() {
        queued = CrowdFirst.MANY - 1;
        assertRecords();
    }

    @Test
    void a_crowd_is_started_first() {
        queued = CrowdFirst.MANY;
        assertGivesWay();
        queued = 0;
        isStarting = true;
        assertGivesWay();
        isStarting = false;
        assertRecords();
    }

    @Test
    void a_crowd_without_an_end_is_waited_for_once() {
        queued = CrowdFirst.MANY;
        assertGivesWay();
        nowNanos += LONGEST_NANOS - 1;
        assertGivesWay();
        nowNanos++;
        assertRecords();
        nowNanos += LONGEST_NANOS;
        assertRecords();
    }

    @Test
    void the_next_crowd_is_waited_for_again() {
        isStarting = true;
        assertGivesWay();
        nowNanos += LONGEST_NANOS;
        assertRecords();
        isStarting = false;
        assertRecords();
        isStarting = true;
        assertGivesWay();
    }
}
