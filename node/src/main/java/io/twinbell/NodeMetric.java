package io.twinbell;

import java.util.Map;

/**
 * The current value of one of a node's metrics, for a monitoring system of the embedding program.
 *
 * @param name as in {@code /metrics}, without the suffix {@code _total}
 * @param help a sentence that describes the metric and its unit
 * @param value the sum of a distribution
 * @param count how many values a distribution has; 0 for other kinds
 */
public record NodeMetric(
        String name, MetricKind kind, String help, Map<String, String> labels, double value, long count) {
    /** How the value changes. */
    public enum MetricKind {
        /** Goes up and down. */
        GAUGE,
        /** Only grows. */
        COUNTER,
        /** Sum and count of many values, which only grow. */
        DISTRIBUTION
    }
}
