package io.twinbell.persistence.cluster;

/**
 * What a master did in one minute.
 *
 * @param minuteMillis the beginning of the minute, in milliseconds since 1970
 * @param epoch the master's epoch
 * @param latenessP50Millis the median lateness of the runs that ended, in milliseconds; null if none ended
 * @param latenessP99Millis 99 % of the runs that ended were at most this late
 */
public record ActivityMinute(
        long minuteMillis, long epoch, String node, Counts counts, Double latenessP50Millis, Double latenessP99Millis) {
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
}
