package io.twinbell.node.audit.store;

/** The kinds of objects that entries of the audit are about. */
public enum AuditKind {
    TASK,
    EXECUTION,
    CALENDAR,
    LIMIT,
    DEFAULTS,
    ALERT,
    CALLER,
    PAUSE,
    STANDING_PAUSE,
    HOLD,
    ROLE,
    PAIR,
    TOKEN,
    ACCESS
}
