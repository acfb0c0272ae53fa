package io.twinbell.persistence.alert;

import java.util.Map;

/**
 * An alert, and how it stands with what it has to tell.
 *
 * @param waiting the events that are in no delivery yet
 * @param conditions what lasts and was told, with the event that it is, by key
 */
public record AlertStanding(StoredAlert alert, Waiting waiting, Deliveries deliveries, Map<String, String> conditions) {
    /**
     * Events that are in no delivery yet.
     *
     * @param lasting how many of them tell of a condition that still lasts
     * @param oldestMillis 0 if there are none
     */
    public record Waiting(long count, long lasting, long oldestMillis) {}

    /**
     * Its deliveries that have not ended.
     *
     * @param gatheringSinceMillis when the one began that events are added to; null if there is none
     * @param isSilencing whether one gathers what falls into a silence
     * @param isUnderWay whether one is being sent, or waits for an attempt; tests do not count
     * @param lastStartedMillis when the latest was first sent; null if none was
     */
    public record Deliveries(
            Long gatheringSinceMillis, boolean isSilencing, boolean isUnderWay, Long lastStartedMillis) {}
}
