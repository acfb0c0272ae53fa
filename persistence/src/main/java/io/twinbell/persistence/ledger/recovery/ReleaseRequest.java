package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.ledger.Attempt;

/** A person's request to release a claimed execution, which is then settled like an orphan. */
public record ReleaseRequest(Attempt attempt, String reason) {}
