package io.twinbell.node.metrics;

import com.codahale.metrics.Timer;
import java.util.function.LongSupplier;

/**
 * Metrics timer with fixed buckets. Recording a duration updates two counters, without a lock or an allocation, unlike
 * Dropwizard's own reservoirs. A scraper gets a histogram that can be added up over nodes.
 */
public final class BucketTimer extends Timer {
    private final Buckets buckets;

    /** @param nanos a monotonic clock; the quantiles in JMX cover its last five to ten minutes */
    public BucketTimer(LongSupplier nanos) {
        this(new Buckets(nanos));
    }

    private BucketTimer(Buckets buckets) {
        super(buckets);
        this.buckets = buckets;
    }

    /** The number of durations in each bucket since the timer was created. */
    public long[] counts() {
        return buckets.counts();
    }

    public Buckets buckets() {
        return buckets;
    }
}
