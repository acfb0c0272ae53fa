package io.twinbell.tools.check;

import java.util.List;

/**
 * A call as it reached the receiver.
 *
 * @param arrivedMicros microseconds since 1970 UTC, by a clock that agrees with the database's
 * @param beside how many calls of the same task were unanswered at that moment
 * @param otherEpochs the epochs of those of them that were made under other epochs than this one
 */
public record ReceivedCall(
        CheckedSlot slot, int attempt, long epoch, long arrivedMicros, int beside, List<Long> otherEpochs) {
    public ReceivedCall {
        otherEpochs = List.copyOf(otherEpochs);
    }

    /** One beside none but calls of its own epoch. */
    public ReceivedCall(CheckedSlot slot, int attempt, long epoch, long arrivedMicros, int beside) {
        this(slot, attempt, epoch, arrivedMicros, beside, List.of());
    }

    /** The same call by another clock. */
    public ReceivedCall arrivedAt(long micros) {
        return micros == arrivedMicros ? this : new ReceivedCall(slot, attempt, epoch, micros, beside, otherEpochs);
    }

    /** How long after its fire time it arrived, in microseconds. */
    public long latenessMicros() {
        return arrivedMicros - slot.fireMillis() * 1000;
    }
}
