package io.twinbell.node.alert;

import io.twinbell.node.task.HandlerSpec;
import io.twinbell.node.task.Retry;
import java.time.Duration;
import java.util.Set;

/**
 * What an alert says.
 *
 * @param on empty if it is off
 * @param threshold null if each event counts by itself
 */
public record AlertDefinition(
        Set<AlertEventType> on, Threshold threshold, Pace pace, Webhook webhook, Retry retry, AlertSilence silence) {
    /** So many events in so much time, or nothing is told. */
    public record Threshold(int count, Duration within) {}

    /**
     * How much is told in one call.
     *
     * @param gather how long events are gathered from the first on
     * @param every the least time between two calls
     */
    public record Pace(Duration gather, Duration every) {}

    /** @param timeout of one attempt */
    public record Webhook(HandlerSpec.HttpCall call, Duration timeout) {}
}
