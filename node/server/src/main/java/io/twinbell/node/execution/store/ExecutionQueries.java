package io.twinbell.node.execution.store;

import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/**
 * Queries on the ledger, and the few inserts that are allowed without an epoch. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface ExecutionQueries {
    /**
     * The part of a list of executions to read.
     *
     * @param after only executions after this one in the order; null for the start
     * @param oldestFirst ascending by fire time; otherwise the newest comes first
     * @param brief omits output and error, which may be long
     */
    record ExecutionPage(Slot after, int limit, boolean oldestFirst, boolean brief) {
        public static ExecutionPage newest(int limit) {
            return new ExecutionPage(null, limit, false, false);
        }
    }

    /**
     * Statistics of a task's slots in a range of fire times.
     *
     * @param states the number of executions in each state that occurs
     * @param duration from start to end, of the runs that have both
     * @param lateness from fire time to start, of the runs that started
     */
    record ExecutionStatistics(List<Count> states, Percentiles duration, Percentiles lateness) {
        /** @param slots the number of slots that the rows stand for */
        public record Count(ExecutionState state, long executions, long slots) {}

        /** In milliseconds; empty if there are no values. */
        public record Percentiles(OptionalLong median, OptionalLong p99, OptionalLong max) {}
    }

    Optional<Execution> find(Slot slot);

    /** The limit key that an execution waits for in the ledger; empty if it waits for none. */
    Optional<String> waitedLimit(Slot slot);

    /** Whether any execution waits for this limit key in the ledger. */
    boolean isWaitedFor(String limitKey);

    /** The executions of one page, in the order of the page. */
    List<Execution> list(ExecutionFilter filter, ExecutionPage page);

    /** Whether this task id is or was in use. The task may have been removed. */
    boolean knows(long taskId);

    /**
     * Counts a task's executions.
     *
     * @param fromMillis the earliest fire time
     * @param untilMillis fire times before this one
     */
    ExecutionStatistics statistics(long taskId, long fromMillis, long untilMillis);

    /** The state of the latest execution of each task that has ended or waits for a retry. */
    Map<Long, ExecutionState> lastOutcomes(Collection<Long> taskIds);

    /**
     * How long successful runs have taken on average, in milliseconds, by task.
     *
     * @param sinceMillis the earliest fire time
     * @param most the maximum number of tasks, those with the longest runs
     */
    Map<Long, Long> meanRunMillis(long sinceMillis, int most);

    /**
     * Adds a PENDING execution at the current time, or at the next free millisecond, and wakes the master.
     *
     * @param planned tests whether an instant is a fire time of the task's schedule; those are not free, because a
     *     run by hand must not replace a planned one
     * @return empty if the task does not exist
     */
    Optional<Execution> trigger(long taskId, LongPredicate planned, ManualRun run);

    /**
     * A run by hand.
     *
     * @param data JSON text that takes the place of the task's data; null to use the task's data
     */
    record ManualRun(String reason, String data) {}

    /** Requests the release of a claimed execution and wakes the master, which settles it like an orphan. */
    void release(Slot slot, String reason);
}
