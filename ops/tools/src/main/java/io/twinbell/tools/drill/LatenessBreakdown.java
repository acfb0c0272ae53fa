package io.twinbell.tools.drill;

import io.twinbell.tools.check.ReceivedCall;
import java.util.List;
import java.util.function.Predicate;

/**
 * How late calls came.
 *
 * @param before those that arrived before the fault
 * @param backlog those that had to wait for the new master; all that came after the fault, if there was none
 * @param after those that fell due when the new master was calling already
 */
record LatenessBreakdown(Lateness before, Lateness backlog, Lateness after) {
    static LatenessBreakdown of(long faultMicros, long epochBefore, List<ReceivedCall> calls) {
        long firstMicros = calls.stream()
                .filter(call -> call.epoch() > epochBefore)
                .mapToLong(ReceivedCall::arrivedMicros)
                .min()
                .orElse(Long.MAX_VALUE);
        Predicate<ReceivedCall> isLater = call -> call.slot().fireMillis() > Math.floorDiv(firstMicros, 1000L);
        Predicate<ReceivedCall> isBehind = firstMicros == Long.MAX_VALUE
                ? call -> call.arrivedMicros() >= faultMicros
                : isLater.negate().and(call -> call.epoch() > epochBefore);
        return new LatenessBreakdown(
                late(calls, call -> call.arrivedMicros() < faultMicros), late(calls, isBehind), late(calls, isLater));
    }

    private static Lateness late(List<ReceivedCall> calls, Predicate<ReceivedCall> which) {
        return Lateness.of(calls.stream().filter(which).mapToLong(ReceivedCall::latenessMicros));
    }
}
