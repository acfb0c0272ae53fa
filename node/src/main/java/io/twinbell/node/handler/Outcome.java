package io.twinbell.node.handler;

import io.twinbell.persistence.ledger.ExecutionState;

/**
 * How an attempt ended.
 *
 * @param output what the handler left behind; may be null, as may the two after it
 * @param isCommitted whether it is recorded already, in the transaction of the handler's work
 */
public record Outcome(ExecutionState state, String output, String error, String reason, boolean isCommitted) {
    /** One that is yet to be recorded. */
    public Outcome(ExecutionState state, String output, String error, String reason) {
        this(state, output, error, reason, false);
    }

    public static Outcome succeeded(String output) {
        return new Outcome(ExecutionState.SUCCEEDED, output, null, null);
    }

    public static Outcome committed(String output) {
        return new Outcome(ExecutionState.SUCCEEDED, output, null, null, true);
    }

    public static Outcome failed(String error, String output) {
        return new Outcome(ExecutionState.FAILED, output, error, null);
    }

    public static Outcome timedOut(String error) {
        return new Outcome(ExecutionState.TIMED_OUT, null, error, null);
    }

    public static Outcome cancelled(String reason) {
        return new Outcome(ExecutionState.CANCELLED, null, null, reason);
    }

    public static Outcome skipped(String reason) {
        return new Outcome(ExecutionState.SKIPPED, null, null, reason);
    }
}
