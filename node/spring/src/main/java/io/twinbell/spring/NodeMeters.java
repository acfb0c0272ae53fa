package io.twinbell.spring;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.twinbell.NodeMetric;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * The node's metrics as meters. Series appear while the node runs, for example those of an app that fires for the first
 * time, so each reading of the values also registers the new ones. All meters of a scrape share one reading.
 */
final class NodeMeters implements MeterBinder, ApplicationListener<ApplicationReadyEvent> {
    private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String APPS = "twinbell_app_";
    /** The label of the series that all but the busiest hundred apps share. */
    private static final String OTHER_APPS = "(others)";

    private final TwinbellNode node;
    /** Keeps the readings alive, because meters have only weak references to the objects that they read. */
    private final List<Readings> bound = new CopyOnWriteArrayList<>();

    NodeMeters(TwinbellNode node) {
        this.node = node;
    }

    /** A series; its labels are part of its identity. */
    private record Series(String name, Map<String, String> labels) {}

    @Override
    public void bindTo(MeterRegistry registry) {
        Readings readings = new Readings(node, registry);
        bound.add(readings);
        readings.refresh();
        Gauge.builder("twinbell.ready", readings, Readings::ready)
                .description("1 if the node can do its part now, else 0")
                .register(registry);
    }

    /** Registers the series of the node that has started. Otherwise the first scrape would have none. */
    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        bound.forEach(Readings::update);
    }

    /** The values as one registry sees them. */
    private static final class Readings {
        private final TwinbellNode node;
        private final MeterRegistry registry;
        private final Clock clock;
        private final Map<Series, NodeMetric> known = new HashMap<>();
        private long readAt;
        private boolean hasRead;

        Readings(TwinbellNode node, MeterRegistry registry) {
            this.node = node;
            this.registry = registry;
            clock = registry.config().clock();
        }

        double ready() {
            refresh();
            return node.running()
                    .map(running -> running.status().isReady() ? 1.0 : 0.0)
                    .orElse(0.0);
        }

        private synchronized void refresh() {
            if (!hasRead || clock.monotonicTime() - readAt >= SHARED_NANOS) {
                update();
            }
        }

        private synchronized void update() {
            long now = clock.monotonicTime();
            hasRead = true;
            readAt = now;
            List<NodeMetric> metrics =
                    node.running().map(running -> running.metrics()).orElse(List.of());
            for (NodeMetric metric : metrics) {
                Series series = series(metric);
                if (known.put(series, metric) == null) {
                    register(series, metric);
                }
            }
        }

        private static Series series(NodeMetric metric) {
            Map<String, String> labels = new HashMap<>(metric.labels());
            if (metric.name().startsWith(APPS)) {
                // Prometheus wants the same labels for all series of a name.
                labels.putIfAbsent("app", OTHER_APPS);
            }
            return new Series(metric.name(), labels);
        }

        private void register(Series series, NodeMetric metric) {
            Tags tags = Tags.empty();
            for (Map.Entry<String, String> label : series.labels().entrySet()) {
                tags = tags.and(label.getKey(), label.getValue());
            }
            String name = series.name().replace('_', '.');
            ToDoubleFunction<Readings> value = readings -> readings.read(series).value();
            switch (metric.kind()) {
                case GAUGE ->
                    Gauge.builder(name, this, value)
                            .description(metric.help())
                            .tags(tags)
                            .register(registry);
                case COUNTER ->
                    FunctionCounter.builder(name, this, value)
                            .description(metric.help())
                            .tags(tags)
                            .register(registry);
                case DISTRIBUTION ->
                    FunctionTimer.builder(
                                    // Registries add the unit themselves.
                                    name.replaceAll("\\.seconds$", ""),
                                    this,
                                    readings -> readings.read(series).count(),
                                    value,
                                    TimeUnit.SECONDS)
                            .description(metric.help())
                            .tags(tags)
                            .register(registry);
            }
        }

        private synchronized NodeMetric read(Series series) {
            refresh();
            return known.get(series);
        }
    }
}
