package io.twinbell.node.pair.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.cluster.PairState.PromotionTimings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GapEstimateTest {
    private static final GapEstimate.Measurements ARMED = new GapEstimate.Measurements(true, 10_000, 0.5, 2.0);
    private static final GapEstimate.Measurements NOT_ARMED = new GapEstimate.Measurements(false, 10_000, 0.5, 2.0);

    private static PromotionTimings takeover(long detect, long latch, long fence, long rebuild, long firstFire) {
        return PromotionTimings.of(Map.of(
                "detect", detect * 1000,
                "latch", latch * 1000,
                "fence", fence * 1000,
                "rebuild", rebuild * 1000,
                "first fire", firstFire * 1000));
    }

    private static PromotionTimings handOver(long latch, long handOver, long fence) {
        return PromotionTimings.of(Map.of("latch", latch * 1000, "hand-over", handOver * 1000, "fence", fence * 1000));
    }

    @Test
    void each_part_is_the_median_of_what_was_measured() {
        PairState.Gap gap = GapEstimate.of(
                List.of(takeover(20, 60, 10, 12, 30), takeover(900, 50, 8, 11, 20), takeover(30, 70, 90, 13, 40)),
                ARMED);
        assertEquals(new PromotionTimings(30.0, 60.0, 10.0, 12.0, 30.0), gap.timings());
        assertEquals(142.0, gap.millis());
    }

    @Test
    void a_hand_over_tells_how_long_fencing_takes_and_nothing_of_a_death() {
        PairState.Gap gap = GapEstimate.of(List.of(handOver(5, 1, 9), takeover(20, 60, 12, 12, 30)), ARMED);
        assertEquals(60.0, gap.timings().latchMillis());
        assertEquals(12.0, gap.timings().fenceMillis(), "the hand-over was waited for within the fencing");
        assertEquals(
                "detect: median of the last 1; latch: median of the last 1; fence: median of the last 2;"
                        + " rebuild: median of the last 1; first fire: median of the last 1",
                gap.basis());
    }

    @Test
    void without_fast_takeover_a_death_goes_unnoticed_for_the_session_timeout() {
        PairState.Gap gap = GapEstimate.of(List.of(takeover(20, 60, 10, 12, 30)), NOT_ARMED);
        assertEquals(10_000.0, gap.timings().detectMillis());
        assertEquals(10_052.0, gap.millis());
    }

    @Test
    void an_unmeasured_value_is_estimated_from_round_trips() {
        PairState.Gap gap = GapEstimate.of(List.of(), ARMED);
        assertEquals(new PromotionTimings(1.5, 16.0, 4.0, 1.5, 1.0), gap.timings());
        assertEquals(
                "detect: never measured, estimated as 3 round trips to database of 0.5 ms",
                gap.basis().split("; ")[0]);
    }

    @Test
    void only_the_newest_five_count() {
        PromotionTimings fast = takeover(20, 60, 10, 12, 30);
        PromotionTimings slow = takeover(500, 600, 700, 800, 900);
        PairState.Gap gap = GapEstimate.of(List.of(fast, fast, fast, slow, slow, slow, slow, slow), ARMED);
        assertEquals(132.0, gap.millis());
    }
}
