package io.twinbell.lab;

import io.twinbell.tools.check.history.ReceivedCall;
import java.util.List;
import java.util.function.Predicate;

/**
 * Lateness of the calls before, during and after the takeover.
 *
 * @param before calls that arrived before the fault
 * @param backlog calls that waited for the new master; all calls after the fault if there was no new master
 * @param after calls that became due after the new master's first call
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
