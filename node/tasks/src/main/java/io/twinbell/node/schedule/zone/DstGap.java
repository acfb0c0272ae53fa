package io.twinbell.node.schedule.zone;

/** What happens to a fixed wall-clock time that does not exist because the clocks went forward. */
public enum DstGap {
    /** It fires at the first instant after the gap, once for all times within the gap. */
    SHIFT,
    /** It does not fire. */
    SKIP
}
