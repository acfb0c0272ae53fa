package io.twinbell.node.handler;

import io.twinbell.persistence.ledger.ExecutionState;

/**
 * How an attempt ended.
 *
 * @param output what the handler left behind; may be null, as may the two after it
 * @param isCommitted whether it is recorded already, in the transaction of the handler's work
 */
public record HandlerOutcome(ExecutionState state, String output, String error, String reason, boolean isCommitted) {
    /** One that is yet to be recorded. */
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
