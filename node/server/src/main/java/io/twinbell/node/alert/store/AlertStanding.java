package io.twinbell.node.alert.store;

import java.util.Map;

/**
 * An alert with its waiting events, deliveries and ongoing conditions.
 *
 * @param waiting the events that are in no delivery yet
 * @param conditions the ongoing conditions that were reported: key to event
 */
public record AlertStanding(
        StoredAlert alert, Waiting waiting, DeliverySummary deliveries, Map<String, String> conditions) {
    /**
     * Events that are in no delivery yet.
     *
     * @param lasting how many of them concern a condition that still lasts
     * @param oldestMillis 0 if there are none
     */
    public record Waiting(long count, long lasting, long oldestMillis) {}

    /**
     * The alert's deliveries that have not ended.
     *
     * @param gatheringSinceMillis when the GATHERING delivery began; null if there is none
     * @param isSilencing whether a delivery collects the events of a silence
     * @param isUnderWay whether a delivery is being sent, or waits for an attempt; tests do not count
     * @param lastStartedMillis when the latest delivery was first sent; null if none was
     */
    public record DeliverySummary(
            Long gatheringSinceMillis, boolean isSilencing, boolean isUnderWay, Long lastStartedMillis) {}
}
