package io.twinbell.tools.check;

import io.twinbell.tools.check.history.LedgerRow;

/** A rule that is applied to each row of a task, by itself or in comparison with the task's other rows. */
interface RowRule {
    /** Takes a row from before the checked time. */
    default void before(LedgerRow row) {}

    /** Takes the next row, in the order of fire times. */
    void row(LedgerRow row);

    default void end() {}
}
