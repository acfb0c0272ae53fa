package io.twinbell.node.handler.call;

import io.twinbell.persistence.ledger.ExecutionState;

/**
 * The outcome of an attempt.
 *
 * @param output the handler's output; output, error and reason may be null
 * @param isCommitted whether the outcome is already recorded, in the transaction of the handler's work
 */
public record HandlerOutcome(ExecutionState state, String output, String error, String reason, boolean isCommitted) {
    /** Creates an outcome that is still to be recorded. */
    public HandlerOutcome(ExecutionState state, String output, String error, String reason) {
        this(state, output, error, reason, false);
    }

    public static HandlerOutcome succeeded(String output) {
        return new HandlerOutcome(ExecutionState.SUCCEEDED, output, null, null);
    }

    public static HandlerOutcome committed(String output) {
        return new HandlerOutcome(ExecutionState.SUCCEEDED, output, null, null, true);
    }

    public static HandlerOutcome failed(String error, String output) {
        return new HandlerOutcome(ExecutionState.FAILED, output, error, null);
    }

    public static HandlerOutcome timedOut(String error) {
        return new HandlerOutcome(ExecutionState.TIMED_OUT, null, error, null);
    }

    public static HandlerOutcome cancelled(String reason) {
        return new HandlerOutcome(ExecutionState.CANCELLED, null, null, reason);
    }

    public static HandlerOutcome skipped(String reason) {
        return new HandlerOutcome(ExecutionState.SKIPPED, null, null, reason);
    }
}
