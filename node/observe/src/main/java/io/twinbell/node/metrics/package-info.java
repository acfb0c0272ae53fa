/**
 * Metrics: their names and descriptions, buckets for durations, and the text that Prometheus scrapes.
 */
package io.twinbell.node.metrics;
