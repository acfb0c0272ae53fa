package io.twinbell.tools.check;

/** Something that must hold of each row of a task, by itself or beside the others. */
interface RowRule {
    /** A row from before everything that is judged. */
    default void before(LedgerRow row) {}

    /** Oldest fire time first. */
    void row(LedgerRow row);

    default void end() {}
}
