package io.twinbell.persistence.ledger;

import java.util.OptionalDouble;

/**
 * What a handler says of its attempt while it runs.
 *
 * @param progress from 0 to 1
 * @param message what it is at; may be null
 * @param log its lines; may be null
 */
public record AttemptReport(OptionalDouble progress, String message, String log) {
    public static final AttemptReport NONE = new AttemptReport(OptionalDouble.empty(), null, null);

    /** A report of one attempt of a slot. */
    public record OfAttempt(Slot slot, int attempt, AttemptReport report) {}
}
