package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.ledger.Slot;

/**
 * A claimed execution that found another run of its task and must wait for it in the ledger.
 *
 * @param max how many executions of the task may wait; further ones become SKIPPED
 */
public record OverlapQueue(Slot slot, int attempt, int max) {}
