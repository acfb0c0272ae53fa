package io.twinbell.ops.metrics;

import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.dropwizard.DropwizardExports;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A metric registry in Prometheus text format. Names follow Prometheus' conventions: {@code taskHeap.size} becomes
 * {@code twinbell_task_heap_size}, a timer ends in {@code _seconds}, a counter or meter in {@code _total}.
 */
public final class PrometheusText {
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final String PREFIX = "twinbell_";
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
    private static final Pattern NOT_IN_A_NAME = Pattern.compile("[^a-z0-9]+");

    private final MetricRegistry registry;
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

    public PrometheusText(MetricRegistry registry) {
        this.registry = registry;
    }

    /** The whole registry, read now. Safe to call from many threads. */
    public String render() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            writer.write(text, new DropwizardExports(renamed()).collect(), EscapingScheme.DEFAULT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** The bridge takes names from the registry as they are, so it gets a registry of the same metrics, renamed. */
    private MetricRegistry renamed() {
        MetricRegistry renamed = new MetricRegistry();
        for (Map.Entry<String, Metric> metric : registry.getMetrics().entrySet()) {
            renamed.register(name(metric.getKey(), metric.getValue()), metric.getValue());
        }
        return renamed;
    }

    private static String name(String dropwizard, Metric metric) {
        String snake = HUMP.matcher(dropwizard).replaceAll("_").toLowerCase(Locale.ROOT);
        String plain = PREFIX + NOT_IN_A_NAME.matcher(snake).replaceAll("_");
        return metric instanceof Timer ? plain + "_seconds" : plain;
    }
}
