package io.twinbell.persistence.ledger;

/** A person's request to cancel an unfinished execution. */
public record CancelRequest(Slot slot, String reason) {}
