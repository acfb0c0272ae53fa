package io.twinbell.node.schedule.zone;

/** What happens to a fixed wall-clock time that occurs twice because the clocks went back. */
public enum DstOverlap {
    /** It fires at the first occurrence. */
    ONCE,
    /** It fires at both occurrences. */
    TWICE
}
