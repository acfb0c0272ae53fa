package io.twinbell.node.engine.run;

import io.twinbell.persistence.cluster.ActivityMinute;

/**
 * What an engine has done: numbers of events, and the lateness of its runs as a histogram.
 *
 * @param lateness the number of runs in each bucket, as of {@link BucketTimer#counts}
 */
public record EngineTotals(ActivityMinute.Counts counts, long[] lateness) {
    /** Returns what was done between an earlier reading and this one, as the activity of a minute. */
    public ActivityMinute since(EngineTotals earlier, long minuteMillis, long epoch, String node) {
        long[] between = new long[lateness.length];
        long runs = 0;
        for (int i = 0; i < between.length; i++) {
            between[i] = lateness[i] - earlier.lateness[i];
            runs += between[i];
        }
        return new ActivityMinute(
                minuteMillis,
                epoch,
                node,
                counts.minus(earlier.counts),
                runs == 0 ? null : BucketTimer.quantileMillis(between, 0.5),
                runs == 0 ? null : BucketTimer.quantileMillis(between, 0.99));
    }
}
