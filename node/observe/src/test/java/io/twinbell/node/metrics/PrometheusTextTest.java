package io.twinbell.node.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Snapshot;
import com.sun.management.ThreadMXBean;
import io.twinbell.node.loop.Loop;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {
    private final MetricRegistry registry = new MetricRegistry();
    private final AtomicLong nanos = new AtomicLong();
    private final AppMetrics apps = new AppMetrics(nanos::get);
    private final PrometheusText text = new PrometheusText(registry, apps);

    @Test
    void a_gauge_has_a_description_and_its_base_unit() {
        registry.register("heap_head_lag_millis", (Gauge<Long>) () -> 70L);

        assertLine("twinbell_scheduler_lag_seconds 0.07");
        assertLine("# TYPE twinbell_scheduler_lag_seconds gauge");
        assertTrue(text.render().contains("# HELP twinbell_scheduler_lag_seconds Age of "), text.render());
    }

    @Test
    void a_loop_shows_how_long_it_has_been_stalled_and_what_it_set_aside() {
        Loop loop = new NodeMetrics(registry, nanos::get).loops().loop("settling");
        loop.failed("no paper");
        loop.setAside("7/2026", new IllegalStateException("no paper"));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));

        assertLine("twinbell_loop_stalled_seconds{loop=\"settling\"} 5.0");
        assertLine("twinbell_loop_set_aside_total{loop=\"settling\"} 1.0");
    }

    @Test
    void counters_end_in_total_and_parts_of_a_family_differ_by_a_label() {
        registry.counter("fenced_writes").inc(2);
        registry.counter("missed_slots.misfire").inc(3);
        registry.counter("missed_slots.retention");

        assertLine("twinbell_fenced_writes_total 2.0");
        assertLine("twinbell_missed_total{reason=\"misfire\"} 3.0");
        assertLine("twinbell_missed_total{reason=\"retention\"} 0.0");
        assertEquals(
                1,
                text.render()
                        .lines()
                        .filter("# TYPE twinbell_missed_total counter"::equals)
                        .count());
    }

    @Test
    void apps_have_series_of_their_own() {
        apps.ended("shop", "SUCCEEDED");
        apps.late("shop", 2_000);
        apps.took("shop", 4_000_000);
        apps.missed("billing \"x\"", 3);

        assertLine("twinbell_app_executions_total{app=\"shop\",state=\"succeeded\"} 1.0");
        assertLine("twinbell_app_missed_total{app=\"billing \\\"x\\\"\"} 3.0");
        assertLine("twinbell_app_missed_total 0.0");
        assertLine("twinbell_app_lateness_seconds_bucket{app=\"shop\",le=\"0.001\"} 0");
        assertLine("twinbell_app_lateness_seconds_bucket{app=\"shop\",le=\"0.003\"} 1");
        assertLine("twinbell_app_duration_seconds_sum{app=\"shop\"} 4.0");
        assertLine("twinbell_app_duration_seconds_bucket{app=\"shop\",le=\"+Inf\"} 1");
    }

    @Test
    void the_busiest_hundred_apps_are_named_and_no_counter_decreases() {
        for (int app = 0; app < AppMetrics.NAMED; app++) {
            apps.ended("app" + app, "SUCCEEDED");
        }
        for (int run = 0; run < 5; run++) {
            apps.ended("late", "SUCCEEDED");
        }
        apps.ended("app7", "SUCCEEDED");
        assertLine("twinbell_app_executions_total{state=\"succeeded\"} 5.0");
        assertFalse(text.render().contains("app=\"late\""));
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        // One of those with a single run leaves, and its run joins the shared series.
        assertLine("twinbell_app_executions_total{state=\"succeeded\"} 6.0");
        assertLine("twinbell_app_executions_total{app=\"app7\",state=\"succeeded\"} 2.0");
        apps.ended("late", "FAILED");
        assertLine("twinbell_app_executions_total{app=\"late\",state=\"failed\"} 1.0");
        assertEquals(
                AppMetrics.NAMED + 1,
                text.render()
                        .lines()
                        .filter(line -> line.startsWith("twinbell_app_missed_total"))
                        .count());
    }

    @Test
    void a_growing_value_is_a_counter_even_if_it_is_read_like_a_gauge() {
        registry.register("role_transitions", (Gauge<Long>) () -> 4L);

        assertLine("# TYPE twinbell_leader_transitions_total counter");
        assertLine("twinbell_leader_transitions_total 4.0");
    }

    @Test
    void a_timer_is_a_histogram_in_seconds_whose_buckets_add_up() {
        Buckets.BucketTimer timer = registry.register("lateness", new Buckets.BucketTimer(nanos::get));
        timer.update(1, TimeUnit.MILLISECONDS);
        timer.update(2, TimeUnit.MILLISECONDS);
        timer.update(2, TimeUnit.HOURS);

        assertLine("twinbell_lateness_seconds_bucket{le=\"0.001\"} 1");
        assertLine("twinbell_lateness_seconds_bucket{le=\"0.0015\"} 1");
        assertLine("twinbell_lateness_seconds_bucket{le=\"0.002\"} 2");
        assertLine("twinbell_lateness_seconds_bucket{le=\"3000.0\"} 2");
        assertLine("twinbell_lateness_seconds_bucket{le=\"+Inf\"} 3");
        assertLine("twinbell_lateness_seconds_count 3");
        assertLine("twinbell_lateness_seconds_sum 7200.003");
    }

    @Test
    void samples_carry_the_values_of_the_text_for_other_monitoring_systems() {
        registry.counter("missed_slots.misfire").inc(3);
        registry.register("lateness", new Buckets.BucketTimer(nanos::get)).update(2, TimeUnit.SECONDS);
        apps.ended("shop", "SUCCEEDED");
        registry.register("version", (Gauge<String>) () -> "1.2.3");

        List<MetricSample> samples = text.samples();
        MetricSample missed = sample(samples, "twinbell_missed");
        assertEquals(3, missed.value());
        assertEquals(MetricSample.SampleKind.COUNTER, missed.kind());
        assertEquals(Map.of("reason", "misfire"), missed.labels());
        MetricSample lateness = sample(samples, "twinbell_lateness_seconds");
        assertEquals(MetricSample.SampleKind.DISTRIBUTION, lateness.kind());
        assertEquals(2, lateness.value());
        assertEquals(1, lateness.count());
        assertEquals("shop", sample(samples, "twinbell_app_executions").labels().get("app"));
        assertEquals(
                Map.of("version", "1.2.3"),
                sample(samples, "twinbell_build_info").labels());
    }

    private static MetricSample sample(List<MetricSample> samples, String name) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void jmx_shows_the_quantiles_of_the_last_minutes_and_forgets_older_ones() {
        Buckets.BucketTimer timer = new Buckets.BucketTimer(nanos::get);
        timer.update(1, TimeUnit.SECONDS);
        assertEquals(1_000_000_000, timer.getSnapshot().get99thPercentile());
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(5));
        assertEquals(1_000_000_000, timer.getSnapshot().get99thPercentile());
        timer.update(2, TimeUnit.MILLISECONDS);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(5));
        Snapshot snapshot = timer.getSnapshot();
        assertEquals(2_000_000, snapshot.get99thPercentile());
        assertEquals(2, timer.getCount());
    }

    @Test
    void taking_a_duration_in_allocates_nothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        Buckets.BucketTimer timer = new Buckets.BucketTimer(nanos::get);
        update(timer, 100_000);
        long before = threads.getThreadAllocatedBytes(thread);
        update(timer, 100_000);
        long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertTrue(allocated < 100_000, allocated + " bytes for 100,000 updates");
    }

    private static void update(Buckets.BucketTimer timer, int times) {
        for (int i = 0; i < times; i++) {
            timer.update(i % 5000, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void a_metric_without_a_value_has_no_sample() {
        registry.register("rebuild_millis", (Gauge<Long>) () -> null);

        assertFalse(text.render().contains("twinbell_rebuild_seconds"), text.render());
    }

    @Test
    void the_build_is_a_label() {
        registry.register("version", (Gauge<String>) () -> "1.2.3");

        assertLine("twinbell_build_info{version=\"1.2.3\"} 1");
    }

    @Test
    void a_metric_without_a_description_is_a_mistake_that_is_named() {
        registry.counter("nobody_knows_me");

        String said = assertThrows(IllegalStateException.class, text::render).getMessage();
        assertTrue(said.contains("nobody_knows_me"), said);
    }

    private void assertLine(String expected) {
        String rendered = text.render();
        assertTrue(Stream.of(rendered.split("\n")).anyMatch(expected::equals), rendered);
    }
}
