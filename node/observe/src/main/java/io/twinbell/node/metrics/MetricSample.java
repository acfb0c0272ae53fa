package io.twinbell.node.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A metric's current value.
 *
 * @param name without the suffix that Prometheus adds to counters
 * @param help a sentence that describes the metric and its unit
 * @param value the sum of a distribution; 1 for a metric whose label is its value
 * @param count how many values a distribution has; 0 for other kinds
 */
public record MetricSample(
        String name, SampleKind kind, String help, Map<String, String> labels, double value, long count) {
    /** How values of a metric change. */
    public enum SampleKind {
        GAUGE,
        COUNTER,
        DISTRIBUTION
    }

    static Stream<MetricSample> of(MetricSnapshot snapshot) {
        MetricMetadata metadata = snapshot.getMetadata();
        if (snapshot instanceof GaugeSnapshot gauge) {
            return gauge.getDataPoints().stream()
                    .map(point -> of(metadata, SampleKind.GAUGE, point.getLabels(), point.getValue(), 0));
        }
        if (snapshot instanceof CounterSnapshot counter) {
            return counter.getDataPoints().stream()
                    .map(point -> of(metadata, SampleKind.COUNTER, point.getLabels(), point.getValue(), 0));
        }
        if (snapshot instanceof HistogramSnapshot histogram) {
            return histogram.getDataPoints().stream()
                    .map(point ->
                            of(metadata, SampleKind.DISTRIBUTION, point.getLabels(), point.getSum(), count(point)));
        }
        if (snapshot instanceof InfoSnapshot info) {
            // Its metadata lacks the suffix that the text has.
            String name = metadata.getName() + MetricCatalog.MetricFamily.INFO_SUFFIX;
            return info.getDataPoints().stream()
                    .map(point -> new MetricSample(
                            name, SampleKind.GAUGE, metadata.getHelp(), labels(point.getLabels()), 1, 0));
        }
        throw new IllegalStateException("no sample is made of a " + snapshot.getClass());
    }

    private static MetricSample of(MetricMetadata metadata, SampleKind kind, Labels labels, double value, long count) {
        return new MetricSample(metadata.getName(), kind, metadata.getHelp(), labels(labels), value, count);
    }

    private static Map<String, String> labels(Labels labels) {
        Map<String, String> all = new LinkedHashMap<>();
        labels.forEach(label -> all.put(label.getName(), label.getValue()));
        return all;
    }

    private static long count(HistogramDataPointSnapshot point) {
        long count = 0;
        for (int i = 0; i < point.getClassicBuckets().size(); i++) {
            count += point.getClassicBuckets().getCount(i);
        }
        return count;
    }
}
