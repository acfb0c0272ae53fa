package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.run.AppGroup;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.engine.trigger.Burst;
import io.twinbell.node.engine.trigger.Burst.Stage;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.persistence.clock.MeasuredClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class BurstYieldTest {
    private static final long NEXT_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_NANOS = BurstYield.LONGEST.toNanos();

    private static final Instant INSTANT = Instant.parse("2026-03-01T00:00:00Z");

    private long nowNanos = -5;
    private int recorded;
    private int queued;
    private final Burst burst = new Burst(() -> queued);
    private boolean presses;
    private final BurstYield burstYield = new BurstYield(this::record, burst, () -> presses, () -> nowNanos);

    BurstYieldTest() {
        burst.is(Stage.STARTED);
    }

    private long record() {
        recorded++;
        return NEXT_NANOS;
    }

    private void assertGivesWay() {
        int before = recorded;
        long sleep = burstYield.step();
        assertTrue(0 < sleep && sleep <= Duration.ofMillis(1).toNanos(), "looks again after " + sleep + " ns");
        assertEquals(before, recorded);
    }

    private void assertRecords() {
        int before = recorded;
        assertEquals(NEXT_NANOS, burstYield.step());
        assertEquals(before + 1, recorded);
    }

    @Test
    void a_crowd_is_started_first() {
        assertRecords();
        queued = Burst.MANY;
        assertGivesWay();
        queued = 0;
        assertRecords();
    }

    @Test
    void a_crowd_without_an_end_is_waited_for_once() {
        queued = Burst.MANY;
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
        queued = Burst.MANY;
        assertGivesWay();
        queued = 0;
        assertRecords();
        nowNanos += 2 * LONGEST_NANOS - 1;
        queued = Burst.MANY;
        assertRecords();
        nowNanos++;
        assertGivesWay();
    }

    @Test
    void urgent_work_does_not_wait() {
        queued = Burst.MANY;
        presses = true;
        assertRecords();
        presses = false;
        assertGivesWay();
        presses = true;
        assertRecords();
    }

    @Test
    void way_is_given_from_shortly_before_the_instant_until_nearly_all_have_been_taken() {
        burst.is(Stage.READY);
        assertGivesWay();
        burst.is(Stage.STARTING);
        assertGivesWay();
        burst.is(Stage.STARTED);
        queued = Burst.MANY;
        assertGivesWay();
        queued--;
        assertRecords();
    }

    @Test
    void a_backlog_is_no_crowd() {
        burst.is(Stage.BACKLOG);
        queued = Burst.MANY;
        assertRecords();
    }

    @Test
    void a_claim_gives_way_while_little_waits_and_none_of_it_is_due_soon() {
        DueInbox inbox = new DueInbox();
        MeasuredClock clock = new MeasuredClock(() -> nowNanos, () -> INSTANT);
        BurstYield claiming = BurstYield.claiming(() -> NEXT_NANOS, burst, inbox, clock, () -> nowNanos);
        burst.is(Stage.READY);
        long later = clock.nowMillis() + BurstYield.YIELD_BEFORE.toMillis();

        inbox.offer(1, later - 1, Urgency.USUAL, AppGroup.UNKNOWN);
        inbox.offer(2, later, Urgency.USUAL, AppGroup.UNKNOWN);
        assertEquals(NEXT_NANOS, claiming.step(), "one of two is due soon");

        inbox.clear();
        for (int id = 1; id <= BurstYield.FEW; id++) {
            inbox.offer(id, later, Urgency.USUAL, AppGroup.UNKNOWN);
        }
        assertNotEquals(NEXT_NANOS, claiming.step(), "little, and due later");
        inbox.offer(BurstYield.FEW + 1, later, Urgency.USUAL, AppGroup.UNKNOWN);
        assertEquals(NEXT_NANOS, claiming.step(), "too much");
    }
}
