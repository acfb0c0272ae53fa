package io.twinbell.tools.bench.database;

import io.twinbell.tools.check.history.LedgerRow;

/**
 * A ledger row and its lateness.
 *
 * @param latenessMicros start minus fire time, in microseconds; whole milliseconds for a row that was read over HTTP; 0
 *     if the execution has not started
 */
public record TimedRow(LedgerRow row, long latenessMicros) {
    /** A row whose times are known in milliseconds only. */
    public static TimedRow ofMillis(LedgerRow row) {
        long fire = row.slot().fireMillis();
        return new TimedRow(row, (row.times().startedMillis().orElse(fire) - fire) * 1000);
    }
}
