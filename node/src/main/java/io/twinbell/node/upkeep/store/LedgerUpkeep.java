package io.twinbell.node.upkeep.store;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Creates the ledger's partitions in advance, and deletes rows after their retention time. Only the owner of the epoch
 * changes anything. No method waits longer than {@value #LOCK_MILLIS} ms for a lock, because claims would wait behind
 * it. After that it throws {@link io.twinbell.persistence.database.DatabaseUnavailableException}, and the caller should
 * try again.
 */
public interface LedgerUpkeep {
    int LOCK_MILLIS = 20;

    /** Creates the partitions of the week ahead. */
    void makePartitions(Epoch epoch);

    /**
     * Drops the partitions of days more than {@code keepDays} before today. A day with an execution without an outcome
     * is kept. A day that cannot be dropped, such as one that a view uses, does not keep the later ones; the exception
     * is thrown after them.
     *
     * @return the names of the dropped partitions
     */
    List<String> dropDays(Epoch epoch, int keepDays);

    /**
     * Deletes rows outside the daily partitions that are kept as long as the ledger, at most {@code limit} of each kind.
     *
     * @return whether there may be more
     */
    boolean deleteScattered(Epoch epoch, int keepDays, int limit);

    /**
     * Examines the next {@code limit} definitions, and removes those that no task has had for {@code keepDays}. Gives
     * way to transactions that store tasks.
     *
     * @param afterId the last id that was examined; 0 at first
     * @return the last id that was examined; {@code afterId} if it gave way; empty at the end
     */
    OptionalLong removeDefinitions(Epoch epoch, int keepDays, long afterId, int limit);

    /**
     * Removes tasks that have been FINISHED for at least {@code olderThanMillis} and have no unfinished execution;
     * their ledger rows stay. A task whose row another transaction holds is skipped.
     *
     * @return how many, at most {@code limit}
     */
    int removeFinished(Epoch epoch, long olderThanMillis, int limit);

    /**
     * Examines the next {@code limit} executions with a fire time before an instant, and deletes those with an outcome
     * of the given class.
     *
     * @param after where the last call ended; null for the oldest
     */
    DeletedRows delete(Epoch epoch, RetentionClass retentionClass, long beforeMillis, Slot after, int limit);

    /**
     * The result of a deletion.
     *
     * @param last the last slot that was examined; null if there are no more old executions
     */
    record DeletedRows(int executions, Slot last) {}

    /** Groups the final states of executions by how long the executions are kept. */
    enum RetentionClass {
        SUCCEEDED(ExecutionState.SUCCEEDED),
        /** The execution started, but did not succeed, or its outcome is unknown. */
        FAILED(ExecutionState.FAILED, ExecutionState.TIMED_OUT, ExecutionState.CANCELLED, ExecutionState.DROPPED),
        /** It never started. */
        SKIPPED(ExecutionState.SKIPPED, ExecutionState.MISSED);

        private final Set<ExecutionState> states;

        RetentionClass(ExecutionState... states) {
            this.states = Set.of(states);
        }

        public Set<ExecutionState> states() {
            return states;
        }
    }
}
