package io.twinbell.node.task;

/** What a slot does when an earlier execution of its task is unfinished at the instant it would start. */
public enum Overlap {
    ALLOW,
    /** Recorded as SKIPPED. */
    SKIP
}
