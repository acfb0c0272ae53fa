package io.twinbell.node.schedule;

/** What becomes of a fixed wall-clock time that does not exist because the clocks went forward over it. */
enum DstGap {
    /** It fires at the first instant after the gap, once for all the times that the gap swallowed. */
    SHIFT,
    /** It does not fire. */
    SKIP
}
