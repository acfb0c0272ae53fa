package io.twinbell.node.task.definition;

import java.time.Duration;

/**
 * How often a failed execution is retried, and how long it waits between attempts.
 *
 * @param maxAttempts includes the first attempt
 * @param backoff the wait after the first attempt
 * @param multiplier of the wait with each further attempt, at least 1
 * @param maxBackoff the longest wait
 * @param jitter the share, 0 to 1, by which a wait may be longer or shorter
 */
public record Retry(int maxAttempts, Duration backoff, double multiplier, Duration maxBackoff, double jitter) {
    /**
     * Returns the wait after an attempt, in milliseconds.
     *
     * @param attempt 1 for the first
     * @param chance the position within the jitter's range, 0 to 1
     */
    public long waitMillis(int attempt, double chance) {
        double steady = Math.min(backoff.toMillis() * Math.pow(multiplier, attempt - 1.0), maxBackoff.toMillis());
        return Math.round(steady * (1 + jitter * (2 * chance - 1)));
    }
}
