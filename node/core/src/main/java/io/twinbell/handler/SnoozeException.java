package io.twinbell.handler;

import java.time.Duration;

/**
 * A handler throws this to end its attempt and to run again later, for example because what it waits for is not ready.
 * The attempt does not count as a failure. The slot runs again under the same idempotency key, as its next attempt,
 * also after a failover.
 *
 * <p>An execution may be snoozed 1000 times, and for 7 days in all. Then a further snooze fails the attempt with the
 * code {@code SNOOZE_LIMIT}.
 */
public class SnoozeException extends Exception {
    private static final long serialVersionUID = 1;
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofDays(7);

    private final Duration delay;

    /**
     * Creates an exception without a reason.
     *
     * @param delay from the end of this attempt, 1 second to 7 days
     * @throws IllegalArgumentException if the delay is out of bounds
     */
    public SnoozeException(Duration delay) {
        this(delay, null);
    }

    /**
     * Creates an exception.
     *
     * @param delay from the end of this attempt, 1 second to 7 days
     * @param reason why the slot must wait, for the list of attempts; may be null
     * @throws IllegalArgumentException if the delay is out of bounds
     */
    public SnoozeException(Duration delay, String reason) {
        super(reason, null, false, false);
        if (delay.compareTo(LEAST) < 0 || delay.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("a snooze lasts 1 second to 7 days, not " + delay);
        }
        this.delay = delay;
    }

    public final Duration delay() {
        return delay;
    }
}
