package io.twinbell.persistence.ledger;

import java.util.OptionalDouble;

/**
 * What a handler reports about its attempt while it runs.
 *
 * @param progress from 0 to 1
 * @param message what the handler is doing; may be null
 * @param log the log lines; may be null
 */
public record AttemptReport(OptionalDouble progress, String message, String log) {
    public static final AttemptReport NONE = new AttemptReport(OptionalDouble.empty(), null, null);

    /** The report of one attempt of a slot. */
    public record OfAttempt(Slot slot, int attempt, AttemptReport report) {}
}
