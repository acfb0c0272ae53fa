package io.twinbell.persistence.ledger;

/** Somebody's wish that an unfinished execution be cancelled. */
public record CancelRequest(Slot slot, String reason) {}
