package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ExecutionState;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Reads claimed executions without an outcome, together with the usual run times of their tasks. */
public interface UnfinishedExecutions {
    /**
     * At most {@code limit} executions, those claimed longest ago first; none that was claimed within the last 10 s.
     */
    UnfinishedPage readPage(int limit);

    /**
     * The unfinished executions, with the facts by which to judge them.
     *
     * @param presentEpoch the current epoch
     * @param settlingSinceMillis the time since which its master settles orphans of every kind: when the epoch was
     *     opened or the last pause of firing ended; the present during a pause
     * @param drainingEpochs the epochs that may still be finishing their runs
     * @param tasksInError the number of tasks that do not fire because their definition cannot be read; counted up
     *     to 10,000
     */
    record UnfinishedPage(
            long nowMillis,
            long presentEpoch,
            long settlingSinceMillis,
            Set<Long> drainingEpochs,
            int tasksInError,
            List<Claimed> claimed) {}

    /** @param state CLAIMED or RUNNING */
    record Claimed(Attempt attempt, ExecutionState state, OptionalLong startedMillis, UsualRunTime usual) {}

    /**
     * The run times of the task's latest runs.
     *
     * @param runs how many runs were counted
     * @param p99Millis 0 if there were none
     */
    record UsualRunTime(int runs, long p99Millis) {}
}
