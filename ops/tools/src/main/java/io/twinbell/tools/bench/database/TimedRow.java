package io.twinbell.tools.bench.database;

import io.twinbell.tools.check.LedgerRow;

/**
 * A row of the ledger, and how late it is.
 *
 * @param latenessMicros start minus fire time, in microseconds; a row that was read over HTTP has whole milliseconds. 0 of
 *     one that has not started
 */
public record TimedRow(LedgerRow row, long latenessMicros) {
    /** One of which no more than milliseconds are known. */
    public static TimedRow ofMillis(LedgerRow row) {
        long fire = row.slot().fireMillis();
        return new TimedRow(row, (row.times().startedMillis().orElse(fire) - fire) * 1000);
    }
}
