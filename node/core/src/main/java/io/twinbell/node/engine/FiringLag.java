package io.twinbell.node.engine;

/**
 * How late the firing of this process is now, in milliseconds; 0 where nothing is late.
 *
 * @param dueMillis age of the oldest slot that is due and not started. Slots that have to wait are not late: for the
 *     end of a pause, for a limit, for another run of their task, or for a row that an application has locked
 * @param unrecordedMillis age of the oldest ended run that is not in the ledger yet
 * @param stalledMillis how long slots have been due without any claim although workers are free; 0 while claims succeed
 * @param unrecordedStalledMillis how long ended runs have waited without any being recorded. A backlog that is being
 *     recorded is late, but not stalled
 */
public record FiringLag(long dueMillis, long unrecordedMillis, long stalledMillis, long unrecordedStalledMillis) {
    /** Age of the oldest slot that is due and not started, or ended and not recorded, in milliseconds. */
    public long millis() {
        return Math.max(dueMillis, unrecordedMillis);
    }
}
