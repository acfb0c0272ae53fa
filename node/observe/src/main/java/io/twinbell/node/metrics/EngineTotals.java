package io.twinbell.node.metrics;

import java.util.Arrays;

/**
 * What an engine has done: numbers of events, and the lateness of its runs as a histogram.
 *
 * @param lateness the number of runs in each bucket, as of {@link Buckets.BucketTimer#counts}
 */
public record EngineTotals(Counts counts, long[] lateness) {
    /**
     * Numbers of events.
     *
     * @param claimed slots claimed in order to run
     * @param failed attempts that failed or timed out, and orphans that were settled as FAILED
     * @param notRun slots that ended without a run: SKIPPED, MISSED or DROPPED
     */
    public record Counts(long claimed, long succeeded, long failed, long cancelled, long notRun) {
        public Counts minus(Counts earlier) {
            return new Counts(
                    claimed - earlier.claimed,
                    succeeded - earlier.succeeded,
                    failed - earlier.failed,
                    cancelled - earlier.cancelled,
                    notRun - earlier.notRun);
        }
    }

    /** Returns what was done between an earlier reading and this one. */
    public EngineTotals minus(EngineTotals earlier) {
        long[] between = new long[lateness.length];
        for (int i = 0; i < between.length; i++) {
            between[i] = lateness[i] - earlier.lateness[i];
        }
        return new EngineTotals(counts.minus(earlier.counts), between);
    }

    /**
     * Returns the lateness that this part of the runs did not exceed, in milliseconds; null if there were no runs.
     *
     * @param quantile from 0 to 1
     */
    public Double latenessMillis(double quantile) {
        return Arrays.stream(lateness).sum() == 0 ? null : Buckets.quantileMillis(lateness, quantile);
    }
}
