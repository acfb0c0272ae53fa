package io.twinbell.node.schedule;

/** What happens to a new task whose only instant has passed. */
public enum PastInstant {
    /** The misfire policy decides, as for any overdue slot. */
    FIRE,
    /** The task is refused, and nothing is stored. */
    REFUSE
}
