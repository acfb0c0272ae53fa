package io.twinbell.persistence.audit;

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
        String kind,
        String object,
        String act,
        String outcome,
        boolean withAccess) {}
