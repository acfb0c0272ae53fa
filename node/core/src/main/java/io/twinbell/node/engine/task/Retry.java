package io.twinbell.node.engine.task;

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
public record Retry(
        int maxAttempts, Duration backoff, double multiplier, Duration maxBackoff, double jitter, RetryCodes codes) {
    /** The longest wait that a receiver can ask for, unless {@code maxBackoff} is longer. */
    public static final Duration LONGEST_ASKED = Duration.ofHours(1);

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

    /**
     * Returns the wait after an attempt whose receiver asked for a wait, in milliseconds: never shorter than without it.
     *
     * @param asked zero for none
     */
    public long waitMillis(int attempt, double chance, Duration asked) {
        long most = Math.max(LONGEST_ASKED.toMillis(), maxBackoff.toMillis());
        return Math.max(waitMillis(attempt, chance), Math.min(asked.toMillis(), most));
    }
}
