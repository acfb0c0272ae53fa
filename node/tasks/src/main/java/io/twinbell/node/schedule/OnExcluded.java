package io.twinbell.node.schedule;

/** What happens to a fire time that a calendar excludes. */
public enum OnExcluded {
    /** It does not fire. */
    SKIP,
    /** It fires at the same local time on the next day that the calendars allow then. */
    NEXT,
    /** It fires at the same local time on the previous day that the calendars allow then. */
    PREVIOUS
}
