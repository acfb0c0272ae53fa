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
    private boolean isCrowd;

    private final CrowdFirst crowdFirst = new CrowdFirst(this::record, () -> isCrowd, () -> nowNanos);

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
    void a_crowd_is_started_first() {
        assertRecords();
        isCrowd = true;
        assertGivesWay();
        isCrowd = false;
        assertRecords();
    }

    @Test
    void a_crowd_without_an_end_is_waited_for_once() {
        isCrowd = true;
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
        isCrowd = true;
        assertGivesWay();
        nowNanos += LONGEST_NANOS;
        assertRecords();
        isCrowd = false;
        assertRecords();
        isCrowd = true;
        assertGivesWay();
    }
}
