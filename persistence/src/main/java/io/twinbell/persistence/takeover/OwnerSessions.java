package io.twinbell.persistence.takeover;

/**
 * The database sessions that an owner's process has open.
 *
 * @param lastSpokeMillis when the latest of them began or ended a statement, by the database's clock; 0 if that is not to
 *     be seen, because they belong to another user or there are none
 */
public record OwnerSessions(int count, long lastSpokeMillis) {}
