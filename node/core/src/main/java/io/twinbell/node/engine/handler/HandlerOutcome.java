package io.twinbell.node.engine.handler;

import io.twinbell.persistence.ledger.ExecutionState;
import java.time.Duration;

/**
 * The outcome of an attempt.
 *
 * @param state RETRYING if the handler asks to run again later; RUNNING if the outcome comes by a callback
 * @param output the handler's output; output, failure and reason may be null
 * @param isCommitted whether the outcome is already recorded, in the transaction of the handler's work
 * @param delay how long the handler, or its receiver, asks to wait before the next attempt; zero if it does not ask
 */
public record HandlerOutcome(
        ExecutionState state, String output, Failure failure, String reason, boolean isCommitted, Duration delay) {
    /** The beginning of the reason with which an interceptor skips a slot; its name follows. */
    public static final String SKIPPED_BY = "skipped by ";

    /**
     * Why an attempt failed.
     *
     * @param code the stable kind of the error, one of {@link ErrorCodes} or the handler's own
     */
    public record Failure(String code, String text) {}

    /** Creates an outcome that is still to be recorded. */
    public HandlerOutcome(ExecutionState state, String output, Failure failure, String reason) {
        this(state, output, failure, reason, false, Duration.ZERO);
    }

    public static HandlerOutcome succeeded(String output) {
        return new HandlerOutcome(ExecutionState.SUCCEEDED, output, null, null);
    }

    public static HandlerOutcome committed(String output) {
        return new HandlerOutcome(ExecutionState.SUCCEEDED, output, null, null, true, Duration.ZERO);
    }

    public static HandlerOutcome failed(String code, String error, String output) {
        return new HandlerOutcome(ExecutionState.FAILED, output, new Failure(code, error), null);
    }

    /** The handler asks to run again after a delay; that is no failure. */
    public static HandlerOutcome snoozed(Duration delay, String reason) {
        return new HandlerOutcome(ExecutionState.RETRYING, null, null, reason, false, delay);
    }

    public static HandlerOutcome timedOut(String error) {
        return new HandlerOutcome(ExecutionState.TIMED_OUT, null, new Failure(ErrorCodes.TIMEOUT, error), null);
    }

    public static HandlerOutcome cancelled(String reason) {
        return new HandlerOutcome(ExecutionState.CANCELLED, null, null, reason);
    }

    /** The handler's work goes on elsewhere, and its outcome comes by a callback. */
    public static HandlerOutcome parked() {
        return new HandlerOutcome(ExecutionState.RUNNING, null, null, null);
    }

    /** Ends the slot without a run. */
    public static HandlerOutcome skipped(String reason) {
        return new HandlerOutcome(ExecutionState.SKIPPED, null, null, reason);
    }

    /** Ends the slot without a run, because it is too late for it. */
    public static HandlerOutcome missed(String reason) {
        return new HandlerOutcome(ExecutionState.MISSED, null, null, reason);
    }

    /** The text of the failure; null if the attempt did not fail. */
    public String error() {
        return failure == null ? null : failure.text();
    }

    /** A copy of a failure whose receiver asks to wait before the next attempt. */
    public HandlerOutcome asking(Duration longerDelay) {
        return new HandlerOutcome(state, output, failure, reason, isCommitted, longerDelay);
    }

    public boolean isSnoozed() {
        return state == ExecutionState.RETRYING;
    }

    /** Whether this is no outcome yet: it comes by a callback. */
    public boolean isParked() {
        return state == ExecutionState.RUNNING;
    }

    /** The code of the failure; null if the attempt did not fail. */
    public String errorCode() {
        return failure == null ? null : failure.code();
    }
}
