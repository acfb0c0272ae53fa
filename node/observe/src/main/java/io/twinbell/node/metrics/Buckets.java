package io.twinbell.node.metrics;

import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import com.codahale.metrics.WeightedSnapshot;
import com.codahale.metrics.WeightedSnapshot.WeightedSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Histogram of durations in fixed buckets, from one millisecond to one hour, six buckets per decade. Updates take no
 * lock.
 */
public final class Buckets implements Reservoir {
    private static final double[] STEPS = {1, 1.5, 2, 3, 5, 7};
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long[] UPPER_NANOS = upperBounds();

    private final AtomicLongArray counts = new AtomicLongArray(UPPER_NANOS.length + 1);
    private final LongAdder sumNanos = new LongAdder();
    private final LongSupplier nanos;
    private long[] windowBegan = new long[counts.length()];
    private long[] nextWindowBegan = windowBegan;
    private long nextWindowNanos;

    public Buckets(LongSupplier nanos) {
        this.nanos = nanos;
        nextWindowNanos = nanos.getAsLong();
    }

    private static long[] upperBounds() {
        List<Long> bounds = new ArrayList<>();
        long hour = TimeUnit.HOURS.toNanos(1);
        for (long decade = 1_000_000; decade < hour; decade *= 10) {
            for (double step : STEPS) {
                bounds.add((long) (decade * step));
            }
        }
        return bounds.stream()
                .mapToLong(Long::longValue)
                .filter(bound -> bound <= hour)
                .toArray();
    }

    /** The number of buckets. The last has no upper bound. */
    public static int count() {
        return UPPER_NANOS.length + 1;
    }

    /** The inclusive upper bound of a bucket, in seconds; infinite for the last. */
    public static double upperSeconds(int bucket) {
        return bucket < UPPER_NANOS.length ? UPPER_NANOS[bucket] / 1e9 : Double.POSITIVE_INFINITY;
    }

    @Override
    public void update(long durationNanos) {
        int found = Arrays.binarySearch(UPPER_NANOS, durationNanos);
        counts.getAndIncrement(found >= 0 ? found : -found - 1);
        sumNanos.add(durationNanos);
    }

    /** Adds what another histogram has counted. */
    public void add(Buckets other) {
        for (int i = 0; i < counts.length(); i++) {
            counts.getAndAdd(i, other.counts.get(i));
        }
        sumNanos.add(other.sumNanos.sum());
    }

    /** The number of durations in each bucket. */
    public long[] counts() {
        long[] copy = new long[counts.length()];
        Arrays.setAll(copy, counts::get);
        return copy;
    }

    /**
     * Returns the upper bound of the bucket that holds a quantile, in milliseconds, and the lower bound for the last
     * bucket, which has no upper one.
     *
     * @param counts numbers of durations, as {@link #counts} returns them; at least one must be positive
     * @param quantile from 0 to 1
     */
    public static double quantileMillis(long[] counts, double quantile) {
        long rank =
                Math.max(1, (long) Math.ceil(quantile * Arrays.stream(counts).sum()));
        int bucket = 0;
        for (long below = counts[0]; below < rank; below += counts[bucket]) {
            bucket++;
        }
        return UPPER_NANOS[Math.min(bucket, UPPER_NANOS.length - 1)] / 1e6;
    }

    public long inBucket(int bucket) {
        return counts.get(bucket);
    }

    public double sumSeconds() {
        return sumNanos.sum() / 1e9;
    }

    @Override
    public int size() {
        long size = 0;
        for (int i = 0; i < counts.length(); i++) {
            size += counts.get(i);
        }
        return (int) Math.min(size, Integer.MAX_VALUE);
    }

    /**
     * Snapshot of the last five to ten minutes, or longer if no snapshot was taken for longer. Each value stands for
     * its bucket's upper bound.
     */
    @Override
    public synchronized Snapshot getSnapshot() {
        turnTheWindow();
        List<WeightedSample> samples = new ArrayList<>();
        for (int i = 0; i < counts.length(); i++) {
            long inWindow = counts.get(i) - windowBegan[i];
            if (inWindow > 0) {
                samples.add(new WeightedSample(UPPER_NANOS[Math.min(i, UPPER_NANOS.length - 1)], inWindow));
            }
        }
        return new WeightedSnapshot(samples);
    }

    /** Moves the window on if it is due. Only readers do this, so that updates stay cheap. */
    private void turnTheWindow() {
        long now = nanos.getAsLong();
        if (now - nextWindowNanos >= WINDOW_NANOS) {
            windowBegan = nextWindowBegan;
            nextWindowNanos = now;
            nextWindowBegan = new long[counts.length()];
            for (int i = 0; i < counts.length(); i++) {
                nextWindowBegan[i] = counts.get(i);
            }
        }
    }

    /**
     * Metrics timer with fixed buckets. Recording a duration updates two counters, without a lock or an allocation,
     * unlike Dropwizard's own reservoirs. A scraper gets a histogram that can be added up over nodes.
     */
    public static final class BucketTimer extends Timer {
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
}
