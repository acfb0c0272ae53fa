package io.twinbell.persistence.ledger;

/**
 * A claimed, unfinished row of the ledger: which attempt of which slot, and under which epoch.
 *
 * @param definition its task's definition, JSON; null if the task was removed
 */
public record Attempt(Slot slot, String app, String name, int attempt, long epoch, String node, String definition) {}
