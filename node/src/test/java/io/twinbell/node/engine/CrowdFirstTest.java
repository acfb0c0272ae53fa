package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.Crowd.Stage;
import io.twinbell.persistence.database.MeasuredClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CrowdFirstTest {
    private static final long NEXT_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_NANOS = CrowdFirst.LONGEST.toNanos();

    private static final Instant INSTANT = Instant.parse("2026-03-01T00:00:00Z");

    private long nowNanos = -5;
    private int recorded;
    private int queued;
    private final Crowd crowd = new Crowd(() -> queued);
    private boolean presses;
    private final CrowdFirst crowdFirst = new CrowdFirst(this::record, crowd, () -> presses, () -> nowNanos);

    CrowdFirstTest() {
        crowd.is(Stage.STARTED);
    }

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
        queued = Crowd.MANY;
        assertGivesWay();
        queued = 0;
        assertRecords();
    }

    @Test
    void a_crowd_without_an_end_is_waited_for_once() {
        queued = Crowd.MANY;
        assertGivesWay();
        nowNanos += LONGEST_NANOS - 1;
        assertGivesWay();
        nowNanos++;
        assertRecords();
        nowNanos += LONGEST_NANOS;
        assertRecords();
    }

    @Test
    void the_next_crowd_is_waited_for_again_but_not_all_the_time() {
        queued = Crowd.MANY;
        assertGivesWay();
        queued = 0;
        assertRecords();
        nowNanos += 2 * LONGEST_NANOS - 1;
        queued = Crowd.MANY;
        assertRecords();
        nowNanos++;
        assertGivesWay();
    }

    @Test
    void what_presses_does_not_wait() {
        queued = Crowd.MANY;
        presses = true;
        assertRecords();
        presses = false;
        assertGivesWay();
        presses = true;
        assertRecords();
    }

    @Test
    void way_is_given_from_shortly_before_the_instant_until_nearly_all_have_been_taken() {
        crowd.is(Stage.READY);
        assertGivesWay();
        crowd.is(Stage.STARTING);
        assertGivesWay();
        crowd.is(Stage.STARTED);
        queued = Crowd.MANY;
        assertGivesWay();
        queued--;
        assertRecords();
    }

    @Test
    void a_backlog_is_no_crowd() {
        crowd.is(Stage.BACKLOG);
        queued = Crowd.MANY;
        assertRecords();
    }

    @Test
    void a_claim_gives_way_while_little_waits_and_none_of_it_is_due_soon() {
        DueInbox inbox = new DueInbox();
        MeasuredClock clock = new MeasuredClock(() -> nowNanos, () -> INSTANT);
        CrowdFirst claiming = CrowdFirst.claiming(() -> NEXT_NANOS, crowd, inbox, clock, () -> nowNanos);
        crowd.is(Stage.READY);
        long later = clock.nowMillis() + CrowdFirst.SOON.toMillis();

        inbox.offer(1, later - 1, Urgency.USUAL, AppGroup.UNKNOWN);
        inbox.offer(2, later, Urgency.USUAL, AppGroup.UNKNOWN);
        assertEquals(NEXT_NANOS, claiming.step(), "one of two is due soon");

        inbox.clear();
        for (int id = 1; id <= CrowdFirst.FEW; id++) {
            inbox.offer(id, later, Urgency.USUAL, AppGroup.UNKNOWN);
        }
        assertNotEquals(NEXT_NANOS, claiming.step(), "little, and due later");
        inbox.offer(CrowdFirst.FEW + 1, later, Urgency.USUAL, AppGroup.UNKNOWN);
        assertEquals(NEXT_NANOS, claiming.step(), "too much");
    }
}
