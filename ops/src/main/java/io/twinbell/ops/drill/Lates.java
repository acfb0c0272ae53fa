package io.twinbell.ops.drill;

import io.twinbell.ops.check.Call;
import java.util.List;
import java.util.function.Predicate;

/**
 * How late calls came.
 *
 * @param before those that arrived before the kill
 * @param backlog those that had to wait for the new master
 * @param after those that fell due when it was calling already
 */
record Lates(Lateness before, Lateness backlog, Lateness after) {
    static Lates of(long killMicros, long killedEpoch, List<Call> calls) {
        long firstMicros = calls.stream()
                .filter(call -> call.epoch() > killedEpoch)
                .mapToLong(Call::arrivedMicros)
                .min()
                .orElse(Long.MAX_VALUE);
        Predicate<Call> isLater = call -> call.slot().fireMillis() > Math.floorDiv(firstMicros, 1000L);
        return new Lates(
                late(calls, call -> call.arrivedMicros() < killMicros),
                late(calls, isLater.negate().and(call -> call.epoch() > killedEpoch)),
                late(calls, isLater));
    }

    private static Lateness late(List<Call> calls, Predicate<Call> which) {
        return Lateness.of(calls.stream().filter(which).mapToLong(Call::latenessMicros));
    }
}
