package io.twinbell.node.engine.task;

/** What a new master does with an execution that its dead predecessor left without an outcome. */
public enum OrphanPolicy {
    /** At most once: the execution is recorded as DROPPED. */
    DROP,
    /** At least once: the slot runs again as its next attempt. */
    RERUN
}
