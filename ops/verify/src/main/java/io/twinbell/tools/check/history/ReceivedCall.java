package io.twinbell.tools.check.history;

import java.util.List;

/**
 * A call as it reached the receiver.
 *
 * @param arrivedMicros microseconds since 1970 UTC, by a clock that agrees with the database's
 * @param beside the number of unanswered calls of the same task at that moment
 * @param otherEpochs the epochs of those unanswered calls that were made under another epoch than this call
 */
public record ReceivedCall(
        CheckedSlot slot, int attempt, long epoch, long arrivedMicros, int beside, List<Long> otherEpochs) {
    public ReceivedCall {
        otherEpochs = List.copyOf(otherEpochs);
    }

    /** A call with no unanswered call of another epoch beside it. */
    public ReceivedCall(CheckedSlot slot, int attempt, long epoch, long arrivedMicros, int beside) {
        this(slot, attempt, epoch, arrivedMicros, beside, List.of());
    }

    /** The same call with its arrival by another clock. */
    public ReceivedCall arrivedAt(long micros) {
        return micros == arrivedMicros ? this : new ReceivedCall(slot, attempt, epoch, micros, beside, otherEpochs);
    }

    /** The time from its fire time to its arrival, in microseconds. */
    public long latenessMicros() {
        return arrivedMicros - slot.fireMillis() * 1000;
    }
}
