package io.twinbell.persistence.ledger;

/** Somebody's wish that a claimed execution be let go of, and settled like an orphan. */
public record ReleaseRequest(Attempt attempt, String reason) {}
