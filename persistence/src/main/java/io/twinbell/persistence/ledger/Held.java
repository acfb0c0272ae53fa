package io.twinbell.persistence.ledger;

/** A claim that has to wait in the ledger until there is room under a limit. */
public record Held(Slot slot, int attempt, String limitKey) {}
