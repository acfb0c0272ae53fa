package io.twinbell.node.schedule;

/** What becomes of a fixed wall-clock time that occurs twice because the clocks went back over it. */
enum DstOverlap {
    /** It fires at the first occurrence. */
    ONCE,
    /** It fires at both. */
    TWICE
}
