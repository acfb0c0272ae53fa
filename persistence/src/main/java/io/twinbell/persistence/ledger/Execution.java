package io.twinbell.persistence.ledger;

import java.util.OptionalLong;

/**
 * A row of the ledger: what became of a slot, or of many that share their fate. Times are milliseconds since 1970 UTC,
 * by the database's clock.
 *
 * @param origin who asked for it, if it was not the schedule: {@code TRIGGERED} by hand; else null
 */
public record Execution(
        Slots slots,
        String app,
        String name,
        ExecutionState state,
        String origin,
        Claim claim,
        Times times,
        Outcome outcome) {
    /**
     * Which slots of its task the row stands for; the first is its identity.
     *
     * @param untilFireMillis of the last, if there is more than one
     */
    public record Slots(long taskId, long fireMillis, OptionalLong untilFireMillis, long count) {}

    /**
     * Who took it.
     *
     * @param node null if nobody has
     */
    public record Claim(int attempt, String node, OptionalLong epoch) {}

    /** When it went through its states, as far as it did. */
    public record Times(OptionalLong claimedMillis, OptionalLong startedMillis, OptionalLong endedMillis) {}

    /** What came of it; each may be null. A {@code note} was added after the state was final. */
    public record Outcome(String output, String error, String reason, String note) {}

    /** How long after its fire time it started; empty if it has not. */
    public OptionalLong latenessMillis() {
        OptionalLong started = times.startedMillis();
        return started.isEmpty() ? started : OptionalLong.of(started.getAsLong() - slots.fireMillis());
    }
}
