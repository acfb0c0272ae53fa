package io.twinbell.node.engine.task;

/** How a clock change of the zone affected a fire time. */
public enum DstMark {
    NONE,
    /** The wall-clock time does not exist on that day; this is the first instant after the gap. */
    SHIFTED,
    /** The wall-clock time occurs twice on that day, and the schedule fired at its first occurrence too. */
    REPEATED
}
