package io.twinbell.persistence.ledger;

/**
 * An ACTIVE task that waits for the end of a run, and no run is under way.
 *
 * @param lastEndedMillis when its last execution ended; 0 if it has none
 */
public record Stalled(long taskId, String app, String name, String definition, long lastEndedMillis) {}
