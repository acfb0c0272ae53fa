package io.twinbell.persistence.limit;

import java.time.Duration;

/**
 * A limit on the executions of tasks that have its key.
 *
 * @param key a key as in {@link LimitKey}
 * @param maxRunning the maximum number of concurrent runs; {@link #UNLIMITED} for no maximum
 * @param rate the maximum number of starts in a time; null for no maximum
 */
public record RunLimit(String key, int maxRunning, Rate rate) {
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** At most {@code max} starts in any interval of length {@code per}. */
    public record Rate(int max, Duration per) {}
}
