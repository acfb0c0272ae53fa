package io.twinbell.node.engine.task;

/**
 * What a new master does with a slot in doubt. Such a slot may have run, because its master and the primary database
 * were lost together and the promoted replica had not received every transaction.
 */
public enum DoubtPolicy {
    /** At most once: the slot is recorded as DROPPED. */
    DROP,
    /** At least once: the slot runs, with the same idempotency key. */
    RERUN,
    /** A person decides: the slot is recorded as DROPPED and can be run again by hand. */
    ASK;

    /** Returns the policy of a task that has none: it follows the orphan policy. */
    public static DoubtPolicy as(OrphanPolicy orphan) {
        return orphan == OrphanPolicy.RERUN ? RERUN : DROP;
    }
}
