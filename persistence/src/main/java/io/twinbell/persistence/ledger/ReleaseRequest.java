package io.twinbell.persistence.ledger;

/** A person's request to release a claimed execution, which is then settled like an orphan. */
public record ReleaseRequest(Attempt attempt, String reason) {}
