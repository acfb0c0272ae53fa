package io.twinbell.persistence.ledger.callback;

import io.twinbell.persistence.ledger.Attempt;

/**
 * A parked attempt of an earlier master, which now belongs to this epoch.
 *
 * @param startedMicros when the attempt started
 */
public record AdoptedAttempt(Attempt attempt, long startedMicros) {}
