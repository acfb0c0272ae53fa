package io.twinbell.persistence.limit;

import java.time.Duration;

/**
 * A limit on what has its key.
 *
 * @param key as {@link LimitKey} explains
 * @param maxRunning how many runs there may be at once; {@link #UNLIMITED} for any number
 * @param rate how many may start in a time; null for any number
 */
public record RunLimit(String key, int maxRunning, Rate rate) {
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** At most {@code max} starts in any stretch of that length. */
    public record Rate(int max, Duration per) {}
}
