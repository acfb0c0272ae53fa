package io.twinbell.node.task;

/**
 * What a successor does with a slot that may have run, because its master and the primary of the database were lost together
 * and the promoted replica had not received everything.
 */
public enum DoubtPolicy {
    /** At most once: recorded as DROPPED. */
    DROP,
    /** At least once: run, under the same idempotency key. */
    RERUN,
    /** A person decides: recorded as DROPPED, to be run again by hand. */
    ASK
}
