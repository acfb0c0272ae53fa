package io.twinbell.persistence.ledger.callback;

import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;

/**
 * The answer to a parked attempt.
 *
 * @param answeredMicros when it was given, by the database's clock
 */
public record CallbackAnswer(Slot slot, int attempt, long answeredMicros, Outcome outcome) {
    /** The outcome; all texts may be null. */
    public record Outcome(ExecutionState state, String output, String error, String errorCode) {}
}
