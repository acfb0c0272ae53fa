package io.twinbell.persistence.takeover;

import java.time.Duration;

/**
 * The database sessions that an owner's process has open.
 *
 * @param lastSpokeMillis when the latest of them began or ended a statement, by the database's clock; 0 if that is not to
 *     be seen, because they belong to another user or there are none
 * @param seenMillis when this was seen, by the same clock
 */
public record OwnerSessions(int count, long lastSpokeMillis, long seenMillis) {
    /** Whether there are sessions of which nobody may see what they do. */
    public boolean isBlind() {
        return count > 0 && lastSpokeMillis == 0;
    }

    /** For how long none of them has begun or ended a statement; very long if there are none. */
    public Duration silence() {
        return Duration.ofMillis(Math.max(0, seenMillis - lastSpokeMillis));
    }
}
