package io.twinbell.lab;

import io.twinbell.tools.check.history.ReceivedCall;
import java.util.List;

/**
 * Delays of reruns: for each run that was orphaned by the master's death and rerun by its policy, the time from the
 * (first) fault to its next call at the receiver, in microseconds. In a drill there is no other reason for a further
 * attempt.
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
