package io.twinbell.ops.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PrometheusTextTest {
    private final MetricRegistry registry = new MetricRegistry();
    private final PrometheusText text = new PrometheusText(registry);

    @Test
    void a_gauge_is_named_in_snake_case_with_our_prefix() {
        registry.register("taskHeap.headLag-millis", (Gauge<Long>) () -> 7L);

        assertLine("twinbell_task_heap_head_lag_millis 7.0");
    }

    @Test
    void counters_and_meters_end_in_total() {
        registry.counter("fires.succeeded").inc(3);
        registry.meter("fencedWrites").mark(2);

        assertLine("twinbell_fires_succeeded_total 3.0");
        assertLine("twinbell_fenced_writes_total 2.0");
    }

    @Test
    void a_timer_is_in_seconds_and_says_so() {
        registry.timer("claim").update(1500, TimeUnit.MILLISECONDS);

        assertLine("twinbell_claim_seconds{quantile=\"0.99\"} 1.5");
        assertLine("twinbell_claim_seconds_count 1");
    }

    @Test
    void what_is_registered_later_is_there_at_the_next_scrape() {
        assertEquals("", text.render());

        registry.histogram("batch").update(4);

        assertLine("twinbell_batch{quantile=\"0.5\"} 4.0");
    }

    private void assertLine(String expected) {
        String rendered = text.render();
        assertTrue(Stream.of(rendered.split("\n")).anyMatch(expected::equals), rendered);
    }
}
