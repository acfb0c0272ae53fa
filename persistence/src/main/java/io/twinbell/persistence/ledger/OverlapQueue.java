package io.twinbell.persistence.ledger;

/**
 * A claim that met another run of its task and is to wait for it in the ledger.
 *
 * @param max how many of its task may wait; what comes beyond that is SKIPPED
 */
public record OverlapQueue(Slot slot, int attempt, int max) {}
