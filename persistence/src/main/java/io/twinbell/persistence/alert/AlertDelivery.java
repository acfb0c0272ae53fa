package io.twinbell.persistence.alert;

import java.util.UUID;

/**
 * One call of a webhook, with its attempts.
 *
 * @param key the same for every attempt
 * @param content JSON text of what was gathered
 */
public record AlertDelivery(
        long id, UUID key, String alert, DeliveryState state, boolean isTest, String content, Progress progress) {
    /**
     * How it went so far; instants in milliseconds since 1970 UTC, each null before there is one.
     *
     * @param attempt 0 before the first
     * @param node who made the latest attempt
     * @param dueMillis the next attempt
     * @param startedMillis the first attempt
     * @param output of the latest attempt that was answered
     * @param error of the latest attempt, or null
     */
    public record Progress(
            int attempt,
            String node,
            Long epoch,
            long createdMillis,
            Long dueMillis,
            Long startedMillis,
            Long endedMillis,
            String output,
            String error) {}
}
