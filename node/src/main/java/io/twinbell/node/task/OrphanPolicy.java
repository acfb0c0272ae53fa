package io.twinbell.node.task;

/** What a successor does with an execution that its dead master left without an outcome. */
public enum OrphanPolicy {
    /** At most once: recorded as DROPPED. */
    DROP,
    /** At least once: run again as the next attempt of the same slot. */
    RERUN
}
