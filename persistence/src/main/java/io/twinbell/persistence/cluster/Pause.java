package io.twinbell.persistence.cluster;

/**
 * A time during which firing is paused.
 *
 * @param untilMillis when it ended or will end; {@link Long#MAX_VALUE} if it has no end yet
 * @param by a person, or the node that received the request
 * @param isRestore whether it covers the time that is missing in a restored database
 * @param key which tasks it pauses, as {@code app:…}, {@code tag:…} or {@code handler:…}; null for all
 */
public record Pause(long fromMillis, long untilMillis, String reason, String by, boolean isRestore, String key) {

    /** Whether it pauses only some of the tasks. */
    public boolean isStanding() {
        return key != null;
    }

    /** Whether the pause has not ended at that instant; {@code nowMillis} by the database's clock. */
    public boolean isOpenAt(long nowMillis) {
        return nowMillis < untilMillis;
    }

    public boolean covers(long millis) {
        return fromMillis <= millis && millis <= untilMillis;
    }
}
