package io.twinbell.node.engine.task;

/** What a slot does if an earlier execution of its task is unfinished when the slot should start. */
public enum Overlap {
    ALLOW,
    /** The slot is recorded as SKIPPED. */
    SKIP,
    /** The slot waits in the ledger for the earlier execution; a slot that finds the queue full is SKIPPED. */
    QUEUE,
    /** The slot cancels the earlier execution, and starts when that has ended. */
    CANCEL_RUNNING
}
