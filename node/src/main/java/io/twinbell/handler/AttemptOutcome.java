package io.twinbell.handler;

/**
 * The outcome of an attempt. A FAILED or TIMED_OUT attempt may be followed by another one.
 *
 * @param state SUCCEEDED, FAILED, TIMED_OUT, CANCELLED or SKIPPED; RETRYING if the handler asked to run again later
 * @param output what the handler returned, or null
 * @param error null if there was none
 * @param errorCode the stable kind of the error, for example {@code HTTP_503}; null if there was none
 * @param reason why the attempt was cancelled or skipped, or null
 */
public record AttemptOutcome(String state, String output, String error, String errorCode, String reason) {
    public boolean hasSucceeded() {
        return "SUCCEEDED".equals(state);
    }
}
