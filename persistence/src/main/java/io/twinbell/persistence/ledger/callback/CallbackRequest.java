package io.twinbell.persistence.ledger.callback;

import io.twinbell.persistence.ledger.Slot;

/**
 * An attempt to park.
 *
 * @param startedMicros when the attempt started, by the database's clock
 * @param tokenHash SHA-256 of the token, 64 hexadecimal digits
 * @param timeoutMillis how long after its start, or after its latest heartbeat, the attempt times out
 */
public record CallbackRequest(Slot slot, int attempt, long startedMicros, String tokenHash, long timeoutMillis) {}
