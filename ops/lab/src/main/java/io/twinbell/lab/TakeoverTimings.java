package io.twinbell.lab;

import io.twinbell.tools.check.history.ReceivedCall;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * The steps of a takeover up to the first call under the new epoch, each in milliseconds after the fault. That call is
 * overdue: its slot was unserved when the fault struck, or became due since.
 *
 * @param latch when the successor held the latch and began its promotion
 * @param epoch when it had opened its epoch
 * @param call when its first call reached the receiver; this is the gap
 */
record TakeoverTimings(OptionalLong latch, OptionalLong epoch, OptionalLong call) {
    static TakeoverTimings of(
            long faultMicros, long epochBefore, List<RoleHistoryEntry> changes, List<ReceivedCall> calls) {
        long faultMillis = Math.floorDiv(faultMicros, 1000L);
        List<RoleHistoryEntry> later = changes.stream()
                .filter(change -> change.atMillis() >= faultMillis)
                .sorted(Comparator.comparingLong(RoleHistoryEntry::atMillis))
                .toList();
        return new TakeoverTimings(
                later.stream()
                        .filter(change -> change.is("PROMOTING"))
                        .mapToLong(change -> change.atMillis() - faultMillis)
                        .findFirst(),
                later.stream()
                        .filter(change -> change.is("MASTER"))
                        .mapToLong(change -> change.atMillis() - change.heapMillis() - faultMillis)
                        .findFirst(),
                calls.stream()
                        .filter(call -> call.epoch() > epochBefore)
                        .mapToLong(call -> (call.arrivedMicros() - faultMicros) / 1000)
                        .min());
    }
}
