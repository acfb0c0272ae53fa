package io.twinbell.tools.drill;

import io.twinbell.tools.check.ReceivedCall;
import java.util.List;

/**
 * What the dead master was executing and its policy has run again: how long after the fault, or the first of several,
 * each of these came to the receiver once more, in microseconds. No task of a drill is tried again for any other reason.
 */
record RerunDelay(List<Long> micros) {
    static RerunDelay of(long faultMicros, long epochBefore, List<ReceivedCall> calls) {
        return new RerunDelay(calls.stream()
                .filter(call -> call.attempt() > 1 && call.epoch() > epochBefore)
                .map(call -> call.arrivedMicros() - faultMicros)
                .toList());
    }

    boolean isEmpty() {
        return micros.isEmpty();
    }

    Lateness summary() {
        return Lateness.of(micros.stream().mapToLong(Long::longValue));
    }
}
