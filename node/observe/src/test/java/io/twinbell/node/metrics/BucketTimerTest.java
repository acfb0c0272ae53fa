package io.twinbell.node.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BucketTimerTest {
    private final Buckets.BucketTimer timer = new Buckets.BucketTimer(() -> 0);

    @Test
    void a_quantile_is_the_upper_bound_of_its_bucket() {
        for (int i = 0; i < 98; i++) {
            timer.update(4, TimeUnit.MILLISECONDS);
        }
        timer.update(1_100, TimeUnit.MILLISECONDS);
        timer.update(2, TimeUnit.HOURS);
        assertEquals(5, Buckets.quantileMillis(timer.counts(), 0.5));
        assertEquals(5, Buckets.quantileMillis(timer.counts(), 0.98));
        assertEquals(1_500, Buckets.quantileMillis(timer.counts(), 0.99));
        assertEquals(3_000_000, Buckets.quantileMillis(timer.counts(), 1));
    }
}
