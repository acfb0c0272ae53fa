package io.twinbell.persistence.ledger;

import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * What anybody may ask of the ledger, and the one row that anybody may add. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface ExecutionQueries {
    Optional<Execution> find(Slot slot);

    /** At most as many executions as the page may have, in its order. */
    List<Execution> list(ExecutionFilter filter, ExecutionPage page);

    /** Whether the ledger has, or had, anything of such a task, which may have been removed since. */
    boolean knows(long taskId);

    /**
     * Counts a task's executions.
     *
     * @param fromMillis the earliest fire time
     * @param untilMillis fire times before this one
     */
    ExecutionStatistics statistics(long taskId, long fromMillis, long untilMillis);

    /**
     * Adds a PENDING execution at now, or at the next millisecond that is free, and wakes the master.
     *
     * @param planned tells the task's own fire times, which are not free: a run by hand must not stand in for one
     * @return nothing if there is no such task
     */
    Optional<Execution> trigger(long taskId, LongPredicate planned, String reason);
}
