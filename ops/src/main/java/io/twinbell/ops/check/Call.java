package io.twinbell.ops.check;

/**
 * A call as it reached the receiver.
 *
 * @param arrivedMicros microseconds since 1970 UTC, by a clock that agrees with the database's
 * @param beside how many calls of the same task were unanswered at that moment
 */
public record Call(Slot slot, int attempt, long epoch, long arrivedMicros, int beside) {
    /** The same call by another clock. */
    public Call arrivedAt(long micros) {
        return micros == arrivedMicros ? this : new Call(slot, attempt, epoch, micros, beside);
    }

    /** How long after its fire time it arrived, in microseconds. */
    public long latenessMicros() {
        return arrivedMicros - slot.fireMillis() * 1000;
    }
}
