package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.ledger.Slot;

/** A person's request to cancel an unfinished execution. */
public record CancelRequest(Slot slot, String reason) {}
