package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.ReceivedCall;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TakeoverTimingsTest {
    private static final long KILL_MICROS = 5_000_200;

    @Test
    void the_gap_ends_with_the_first_call_under_a_later_epoch() {
        // The dead master's last call was still on its way when it was killed.
        List<ReceivedCall> calls = List.of(call(4990, 7, 5001), call(4995, 8, 5400), call(4990, 8, 5300));

        assertEquals(OptionalLong.of(299), takeover(List.of(), calls).call());
    }

    @Test
    void the_steps_of_the_promotion_come_from_the_role_history() throws Exception {
        RoleHistoryEntry master = RoleHistoryEntry.of(new ObjectMapper().readTree("""
                {"at":"1970-01-01T00:00:05.250Z","node":"b","epoch":8,"from":"PROMOTING","to":"MASTER","tookMillis":42,
                 "reason":"a does not answer","steps":[{"step":"hand-over","micros":2000},
                 {"step":"fence","micros":10000},{"step":"rebuild","micros":30000}]}"""));
        RoleHistoryEntry promoting = new RoleHistoryEntry(5200, "b", "PROMOTING", 7, 0);

        TakeoverTimings takeover = takeover(List.of(promoting, master), List.of());

        assertEquals(OptionalLong.of(200), takeover.latch());
        assertEquals(OptionalLong.of(220), takeover.epoch());
    }

    @Test
    void an_event_that_never_happened_is_empty() {
        RoleHistoryEntry before = new RoleHistoryEntry(4000, "a", "MASTER", 7, 0);

        assertEquals(
                new TakeoverTimings(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty()),
                takeover(List.of(before), List.of(call(4990, 7, 4995))));
    }

    @Test
    void calls_are_told_apart_by_the_moment_at_which_the_new_master_began() {
        RoundResult.LatenessBreakdown lateness = RoundResult.LatenessBreakdown.of(
                KILL_MICROS,
                7,
                List.of(call(4990, 7, 4991), call(5000, 8, 5300), call(5200, 8, 5302), call(5301, 8, 5304)));

        assertEquals(new Lateness(1, 1, 1), lateness.before());
        assertEquals(new Lateness(102, 300, 300), lateness.backlog());
        assertEquals(new Lateness(3, 3, 3), lateness.after());
    }

    @Test
    void a_percentile_is_the_smallest_value_that_so_many_do_not_exceed() {
        assertEquals(new Lateness(0.05, 0.099, 0.1), Lateness.of(LongStream.rangeClosed(1, 100)));
        assertEquals(new Lateness(0.007, 0.007, 0.007), Lateness.of(LongStream.of(7)));
    }

    @Test
    void where_no_call_came_the_report_says_none() {
        assertEquals(Lateness.NONE, Lateness.of(LongStream.empty()));
        assertEquals("none", Lateness.of(LongStream.empty()).toString());
        assertEquals("0.0 / 0.0 / 0.0", Lateness.of(LongStream.of(0)).toString());
    }

    @Test
    void a_rerun_counts_from_the_fault_to_its_call_under_a_later_epoch() {
        List<ReceivedCall> calls = List.of(
                call(4990, 7, 4991),
                call(5010, 8, 5300),
                again(4990, 8, 5340),
                again(4980, 8, 5290),
                again(4970, 7, 4999));

        RoundResult.RerunDelay rerunDelay = RoundResult.RerunDelay.of(KILL_MICROS, 7, calls);

        assertEquals(List.of(339_800L, 289_800L), rerunDelay.micros());
        assertEquals(new Lateness(289.8, 339.8, 339.8), rerunDelay.summary());
        assertTrue(RoundResult.RerunDelay.of(KILL_MICROS, 7, List.of(call(5010, 8, 5300)))
                .isEmpty());
    }

    private static ReceivedCall again(long fireMillis, long epoch, long arrivedMillis) {
        return new ReceivedCall(new CheckedSlot(1, fireMillis), 2, epoch, arrivedMillis * 1000, 0);
    }

    private static TakeoverTimings takeover(List<RoleHistoryEntry> changes, List<ReceivedCall> calls) {
        return TakeoverTimings.of(KILL_MICROS, 7, changes, calls);
    }

    private static ReceivedCall call(long fireMillis, long epoch, long arrivedMillis) {
        return new ReceivedCall(new CheckedSlot(1, fireMillis), 1, epoch, arrivedMillis * 1000, 0);
    }
}
