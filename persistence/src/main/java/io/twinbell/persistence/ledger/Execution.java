package io.twinbell.persistence.ledger;

import java.util.OptionalLong;

/**
 * A row of the ledger: what became of a slot, or of many that share their fate. Times are milliseconds since 1970 UTC,
 * by the database's clock.
 *
 * @param origin who asked for it, if it was not the schedule: {@code TRIGGERED} by hand, {@code CHAINED} by the end of another; else null
 */
public record Execution(
        Slots slots,
        String app,
        String name,
        ExecutionState state,
        String origin,
        Claim claim,
        Times times,
        Outcome outcome,
        AttemptReport report) {
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
     * @param earlierAttempts JSON list of the attempts before, or null if there are none or nobody asked
     */
    public record Claim(int attempt, String node, OptionalLong epoch, String earlierAttempts) {}

    /**
     * When it went through its states, as far as it did.
     *
     * @param dueMillis when a waiting one may be claimed, if that is not at its fire time
     */
    public record Times(
            OptionalLong claimedMillis, OptionalLong startedMillis, OptionalLong endedMillis, OptionalLong dueMillis) {}

    /** What came of it; each may be null. A {@code note} was added after the state was final. */
    public record Outcome(String output, String error, String reason, String note) {}

    /** How long after its fire time it started; empty if it has not. */
    public OptionalLong latenessMillis() {
        OptionalLong started = times.startedMillis();
        return started.isEmpty() ? started : OptionalLong.of(started.getAsLong() - slots.fireMillis());
    }
}
