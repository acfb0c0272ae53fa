package io.twinbell.node.handler.call;

import io.twinbell.persistence.ledger.ExecutionState;
import java.time.Duration;

/**
 * The outcome of an attempt.
 *
 * @param output the handler's output; output, failure and reason may be null
 * @param isCommitted whether the outcome is already recorded, in the transaction of the handler's work
 */
public record HandlerOutcome(ExecutionState state, String output, Failure failure, String reason, boolean isCommitted) {
    /**
     * Why an attempt failed.
     *
     * @param code the stable kind of the error, one of {@link ErrorCodes} or the handler's own
     * @param askedWait how long the receiver asks to wait before the next attempt; zero if it does not ask
     */
    public record Failure(String code, String text, Duration askedWait) {
        public Failure(String code, String text) {
            this(code, text, Duration.ZERO);
        }
    }

    /** Creates an outcome that is still to be recorded. */
    public HandlerOutcome(ExecutionState state, String output, Failure failure, String reason) {
        this(state, output, failure, reason, false);
    }

    public static HandlerOutcome succeeded(String output) {
        return new HandlerOutcome(ExecutionState.SUCCEEDED, output, null, null);
    }

    public static HandlerOutcome committed(String output) {
        return new HandlerOutcome(ExecutionState.SUCCEEDED, output, null, null, true);
    }

    public static HandlerOutcome failed(String code, String error, String output) {
        return new HandlerOutcome(ExecutionState.FAILED, output, new Failure(code, error), null);
    }

    public static HandlerOutcome failed(Failure failure, String output) {
        return new HandlerOutcome(ExecutionState.FAILED, output, failure, null);
    }

    public static HandlerOutcome timedOut(String error) {
        return new HandlerOutcome(ExecutionState.TIMED_OUT, null, new Failure(ErrorCodes.TIMEOUT, error), null);
    }

    public static HandlerOutcome cancelled(String reason) {
        return new HandlerOutcome(ExecutionState.CANCELLED, null, null, reason);
    }

    public static HandlerOutcome skipped(String reason) {
        return new HandlerOutcome(ExecutionState.SKIPPED, null, null, reason);
    }

    /** The text of the failure; null if the attempt did not fail. */
    public String error() {
        return failure == null ? null : failure.text();
    }

    /** How long the receiver asks to wait before the next attempt; zero if it does not ask. */
    public Duration askedWait() {
        return failure == null ? Duration.ZERO : failure.askedWait();
    }

    /** The code of the failure; null if the attempt did not fail. */
    public String errorCode() {
        return failure == null ? null : failure.code();
    }
}
