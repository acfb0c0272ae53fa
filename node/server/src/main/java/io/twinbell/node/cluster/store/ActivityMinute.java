package io.twinbell.node.cluster.store;

import io.twinbell.node.metrics.EngineTotals;

/**
 * What a master did in one minute.
 *
 * @param minuteMillis the beginning of the minute, in milliseconds since 1970
 * @param epoch the master's epoch
 * @param latenessP50Millis the median lateness of the runs that ended, in milliseconds; null if none ended
 * @param latenessP99Millis 99 % of the runs that ended were at most this late
 */
public record ActivityMinute(
        long minuteMillis,
        long epoch,
        String node,
        EngineTotals.Counts counts,
        Double latenessP50Millis,
        Double latenessP99Millis) {}
