package io.twinbell.node.task;

/** What a slot does when an earlier execution of its task is unfinished at the instant it would start. */
public enum Overlap {
    ALLOW,
    /** Recorded as SKIPPED. */
    SKIP,
    /** Waits for it in the ledger; what comes when the queue is full is SKIPPED. */
    QUEUE,
    /** Has it cancelled, and starts when it has ended. */
    CANCEL_RUNNING
}
