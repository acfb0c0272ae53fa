package io.twinbell.handler;

import java.time.Instant;

/**
 * The outcome of an attempt. A FAILED or TIMED_OUT attempt may be followed by another one.
 *
 * @param state SUCCEEDED, FAILED, TIMED_OUT, CANCELLED or SKIPPED; RETRYING if the handler asked to run again later
 * @param output what the handler returned, or null
 * @param error null if there was none
 * @param errorCode the stable kind of the error, for example {@code HTTP_503}; null if there was none
 * @param reason why the attempt was cancelled or skipped, or null
 * @param nextAttempt when another attempt of this slot is due; null if none follows. A FAILED or TIMED_OUT attempt
 *     without one makes the execution a dead letter
 */
public record AttemptOutcome(
        String state, String output, String error, String errorCode, String reason, Instant nextAttempt) {
    public boolean hasSucceeded() {
        return "SUCCEEDED".equals(state);
    }
}
