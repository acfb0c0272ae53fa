package io.twinbell.node.alert.store;

import java.util.UUID;

/**
 * One delivery of an alert to a webhook, with its attempts.
 *
 * @param key the same for every attempt
 * @param content the collected events as JSON text
 */
public record AlertDelivery(
        long id,
        UUID key,
        String alert,
        DeliveryState state,
        boolean isTest,
        String content,
        DeliveryProgress progress) {
    /**
     * The progress of a delivery. Times are in milliseconds since 1970 UTC, null if not known yet.
     *
     * @param attempt 0 before the first
     * @param node the node that made the latest attempt
     * @param dueMillis the next attempt
     * @param startedMillis the first attempt
     * @param output of the latest attempt that was answered
     * @param error of the latest attempt, or null
     */
    public record DeliveryProgress(
            int attempt,
            String node,
            Long epoch,
            long createdMillis,
            Long dueMillis,
            Long startedMillis,
            Long endedMillis,
            String output,
            String error) {}

    /** The state of a delivery. */
    public enum DeliveryState {
        /** Events are still added to it. */
        GATHERING,
        /** It waits for its next attempt. */
        PENDING,
        /** An attempt is in progress, or was when its master died. */
        SENDING,
        DELIVERED,
        /** The last permitted attempt failed. */
        GIVEN_UP,
        /** It contains the events of a silence and is never sent. */
        SILENCED
    }
}
