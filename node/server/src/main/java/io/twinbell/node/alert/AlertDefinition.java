package io.twinbell.node.alert;

import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.task.definition.HandlerSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The definition of an alert: its events, threshold, pace, webhook, retry policy and silence.
 *
 * @param on empty if the alert is off
 * @param threshold null if each event counts by itself
 * @param watch null if the alert expects nothing
 */
public record AlertDefinition(
        Set<AlertEventType> on,
        TaskExpectations watch,
        Threshold threshold,
        DeliveryPace pace,
        Webhook webhook,
        Retry retry,
        AlertSilence silence) {
    /** The longest time without a success that the alert allows; empty if it is not set for that. */
    public Optional<Duration> noSuccessFor() {
        return Optional.ofNullable(watch).map(TaskExpectations::noSuccessFor);
    }

    /** The number of events within a period that triggers the alert. */
    public record Threshold(int count, Duration within) {}

    /**
     * How many events one call reports.
     *
     * @param gather how long events are gathered, from the first on
     * @param every the least time between two calls
     */
    public record DeliveryPace(Duration gather, Duration every) {}

    /**
     * The HTTP call of an alert.
     *
     * @param timeout the timeout of one attempt
     */
    public record Webhook(HandlerSpec.HttpCall call, Duration timeout) {}
}
