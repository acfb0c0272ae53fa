package io.twinbell.node.metrics;

import com.codahale.metrics.Counting;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.twinbell.node.metrics.MetricCatalog.Entry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Renders a node's metric registry in the Prometheus text format, with the names and descriptions of the {@link
 * MetricCatalog}.
 */
public final class PrometheusText {
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private final MetricRegistry registry;
    private final AppMetrics apps;
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

    /** A metric and its catalog entry. */
    private record MetricEntry(Metric metric, Entry entry) {
        Labels labels() {
            String label = entry.family().label();
            if (label == null) {
                return Labels.EMPTY;
            }
            return Labels.of(label, entry.labelValue() == null ? value().toString() : entry.labelValue());
        }

        /** The current value; null if there is none. */
        Object value() {
            return metric instanceof Gauge<?> gauge ? gauge.getValue() : ((Counting) metric).getCount();
        }

        double number() {
            return ((Number) value()).doubleValue() * entry.scale();
        }
    }

    /** @param apps is appended to the registry */
    public PrometheusText(MetricRegistry registry, AppMetrics apps) {
        this.registry = registry;
        this.apps = apps;
    }

    /**
     * Renders the current values of the whole registry. Thread-safe.
     *
     * @throws IllegalStateException if the registry has a metric that the catalog does not know
     */
    public String render() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            // Every 1.x release has this overload; the one with an escaping scheme exists since 1.4.
            writer.write(text, snapshots());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** The same values for other monitoring systems; a histogram is its count and sum. Thread-safe. */
    public List<MetricSample> samples() {
        return snapshots().stream().flatMap(MetricSample::of).toList();
    }

    private MetricSnapshots snapshots() {
        Map<MetricCatalog.MetricFamily, Stream.Builder<MetricEntry>> families = new LinkedHashMap<>();
        registry.getMetrics().forEach((name, metric) -> {
            MetricEntry metricEntry = new MetricEntry(metric, entry(name));
            if (metricEntry.value() != null) {
                families.computeIfAbsent(metricEntry.entry().family(), family -> Stream.builder())
                        .add(metricEntry);
            }
        });
        MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        families.forEach((family, points) ->
                snapshots.metricSnapshot(snapshot(family, points.build().toList())));
        apps.snapshots().forEach(snapshots::metricSnapshot);
        return snapshots.build();
    }

    private static Entry entry(String name) {
        return MetricCatalog.of(name)
                .orElseThrow(() -> new IllegalStateException("MetricCatalog has no entry for \"" + name + "\""));
    }

    private static MetricSnapshot snapshot(MetricCatalog.MetricFamily family, List<MetricEntry> parts) {
        return switch (family.kind()) {
            case GAUGE ->
                new GaugeSnapshot(
                        metadata(family),
                        parts.stream()
                                .map(part -> new GaugeDataPointSnapshot(part.number(), part.labels(), null))
                                .toList());
            case COUNTER ->
                new CounterSnapshot(
                        metadata(family),
                        parts.stream()
                                .map(part -> new CounterDataPointSnapshot(part.number(), part.labels(), null, 0))
                                .toList());
            case HISTOGRAM ->
                new HistogramSnapshot(
                        metadata(family),
                        parts.stream().map(PrometheusText::histogram).toList());
            case INFO ->
                new InfoSnapshot(
                        metadata(family),
                        parts.stream()
                                .map(part -> new InfoDataPointSnapshot(part.labels()))
                                .toList());
        };
    }

    private static MetricMetadata metadata(MetricCatalog.MetricFamily family) {
        return new MetricMetadata(family.plainName(), family.help());
    }

    private static HistogramDataPointSnapshot histogram(MetricEntry metricEntry) {
        Buckets buckets = ((Buckets.BucketTimer) metricEntry.metric()).buckets();
        ClassicHistogramBuckets.Builder counted = ClassicHistogramBuckets.builder();
        for (int i = 0; i < Buckets.count(); i++) {
            counted.bucket(Buckets.upperSeconds(i), buckets.inBucket(i));
        }
        return new HistogramDataPointSnapshot(counted.build(), buckets.sumSeconds(), metricEntry.labels(), null, 0);
    }
}
