package io.twinbell.node.access;

import java.util.Locale;

/** The kinds of requests that a role may permit. Each role has some of these permissions. */
public enum Permission {
    /** Shows tasks, executions and the pair. */
    READ,
    /** Pauses, resumes, triggers, cancels, runs again, or moves the role of master. */
    OPERATE,
    /** Changes tasks, calendars, limits, defaults and alerts. */
    EDIT,
    /** Manages access itself. */
    ADMIN;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
