package io.twinbell.persistence.takeover;

import java.time.Duration;

/**
 * The open database sessions of an owner's process.
 *
 * @param lastSpokeMillis when the latest statement of any session began or ended, by the database's clock; 0 if
 *     this is not visible, because the sessions belong to another user, or if there are none
 * @param seenMillis when this was read, by the same clock
 */
public record OwnerSessions(int count, long lastSpokeMillis, long seenMillis) {
    /** Whether there are sessions whose activity is not visible. */
    public boolean isBlind() {
        return count > 0 && lastSpokeMillis == 0;
    }

    /** The time since any session began or ended a statement; very long if there are none. */
    public Duration silence() {
        return Duration.ofMillis(Math.max(0, seenMillis - lastSpokeMillis));
    }
}
