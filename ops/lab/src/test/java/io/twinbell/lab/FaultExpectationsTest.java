package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.lab.fault.Fault;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.ReceivedCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultExpectationsTest {
    private static final long FAULT_MILLIS = 10_000;
    private static final long HELD = 1;
    private static final long OTHER = 2;

    private final List<ReceivedCall> calls = new ArrayList<>();

    @Test
    void the_task_that_is_held_may_be_as_late_as_it_likes() {
        call(HELD, FAULT_MILLIS, 60_000);
        call(OTHER, FAULT_MILLIS, 1000);
        assertEquals(List.of(), violations());
    }

    @Test
    void another_task_that_waits_beside_it_is_an_offence_though_others_fire() {
        for (int i = 0; i < 100; i++) {
            call(OTHER + 1, FAULT_MILLIS + 20 * i, 1);
        }
        call(OTHER, FAULT_MILLIS + 5, 1001);
        List<Violation> offences = violations();
        assertEquals(1, offences.size());
        assertEquals(Rule.PROMISE_BROKEN, offences.get(0).rule());
        assertEquals(new CheckedSlot(OTHER, FAULT_MILLIS + 5), offences.get(0).slot());
    }

    @Test
    void a_slot_late_before_the_fault_is_not_blamed_on_it() {
        call(OTHER, FAULT_MILLIS - 5000, 4000);
        assertEquals(List.of(), violations());
    }

    @Test
    void nothing_may_be_called_in_a_time_that_the_fault_keeps_quiet() {
        Fault.QuietPeriod quiet = new Fault.QuietPeriod(5_000_000, 9_000_000, "a test says so");
        call(OTHER, 5000, 0);
        call(OTHER, 8000, 999);
        call(OTHER, 9000, 0);
        List<Violation> offences = new ArrayList<>();
        FaultExpectations.checkQuiet(quiet, calls, offences::add);
        assertEquals(
                List.of(new CheckedSlot(OTHER, 8000)),
                offences.stream().map(Violation::slot).toList());
        assertEquals(
                "called, but no call is allowed while a test says so",
                offences.get(0).detail());
    }

    private void call(long task, long fireMillis, long lateMillis) {
        calls.add(new ReceivedCall(new CheckedSlot(task, fireMillis), 1, 1, (fireMillis + lateMillis) * 1000, 0));
    }

    private List<Violation> violations() {
        List<Violation> offences = new ArrayList<>();
        FaultExpectations.checkOtherTasks(HELD, Duration.ofSeconds(1), FAULT_MILLIS * 1000, calls, offences::add);
        return offences;
    }
}
