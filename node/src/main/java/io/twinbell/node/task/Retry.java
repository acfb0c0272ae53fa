package io.twinbell.node.task;

import java.time.Duration;

/**
 * How often a failed execution is tried, and how long it waits in between.
 *
 * @param maxAttempts with the first one
 * @param backoff the wait after the first attempt
 * @param multiplier of the wait with each further attempt, at least 1
 * @param maxBackoff the longest wait
 * @param jitter by which share, 0 to 1, a wait may be longer or shorter than that
 */
public record Retry(int maxAttempts, Duration backoff, double multiplier, Duration maxBackoff, double jitter) {
    /**
     * The wait after an attempt, in milliseconds.
     *
     * @param attempt 1 for the first
     * @param chance 0 to 1: where in the jitter's range it lies
     */
    public long waitMillis(int attempt, double chance) {
        double steady = Math.min(backoff.toMillis() * Math.pow(multiplier, attempt - 1.0), maxBackoff.toMillis());
        return Math.round(steady * (1 + jitter * (2 * chance - 1)));
    }
}
