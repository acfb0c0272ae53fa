package io.twinbell.persistence.ledger;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Claimed executions without an outcome, beside what is usual for their tasks. */
public interface UnfinishedExecutions {
    /** At most {@code limit}, of those that were claimed longest ago; none that was claimed within the last 10 s. */
    Look look(int limit);

    /**
     * What was seen.
     *
     * @param presentEpoch the one that claims now, since {@code openedMillis}
     * @param drainingEpochs those that may still be finishing what they run
     * @param tasksInError how many tasks fire no more because they cannot be read; counted up to 10,000
     */
    record Look(
            long nowMillis,
            long presentEpoch,
            long openedMillis,
            Set<Long> drainingEpochs,
            int tasksInError,
            List<Claimed> claimed) {}

    /** @param state CLAIMED or RUNNING */
    record Claimed(Attempt attempt, ExecutionState state, OptionalLong startedMillis, Usual usual) {}

    /**
     * How long the task's latest runs took.
     *
     * @param runs how many were looked at
     * @param p99Millis 0 if there were none
     */
    record Usual(int runs, long p99Millis) {}
}
