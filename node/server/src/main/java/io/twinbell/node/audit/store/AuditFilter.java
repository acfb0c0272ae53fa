package io.twinbell.node.audit.store;

/**
 * Which entries to read. A null restricts nothing.
 *
 * @param withAccess whether to include changes of tokens and refused attempts
 */
public record AuditFilter(
        Long sinceMillis,
        Long untilMillis,
        String app,
        String actor,
        AuditKind kind,
        String object,
        AuditAct act,
        String outcome,
        boolean withAccess) {}
