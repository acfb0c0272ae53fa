package io.twinbell.ops.metrics;

import com.codahale.metrics.Timer;
import java.util.function.LongSupplier;

/**
 * A timer that counts into fixed buckets: taking a duration in costs two counters and neither a lock nor an allocation,
 * which cannot be said of Dropwizard's own reservoirs, and a scraper gets a histogram that it can add up over nodes.
 */
public final class BucketTimer extends Timer {
    private final Buckets buckets;

    /** @param nanos a monotonic clock; the quantiles that JMX shows are those of the last five to ten minutes by it */
    public BucketTimer(LongSupplier nanos) {
        this(new Buckets(nanos));
    }

    private BucketTimer(Buckets buckets) {
        super(buckets);
        this.buckets = buckets;
    }

    Buckets buckets() {
        return buckets;
    }
}
