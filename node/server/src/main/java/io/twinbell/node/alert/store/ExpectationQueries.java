package io.twinbell.node.alert.store;

import io.twinbell.node.alert.store.AlertStore.AlertSelection;
import java.util.List;

/**
 * Finds tasks and executions that are overdue. Times are milliseconds since 1970
 * UTC, and those of the database's clock. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface ExpectationQueries {
    /** A task. */
    record ExpectedTask(long id, String app, String name) {}

    /**
     * A task that is overdue.
     *
     * @param lastMillis when the expected event last happened; null if never, or if the ledger no longer has it
     * @param state of the task
     */
    record OverdueTask(ExpectedTask task, Long lastMillis, String state) {}

    /**
     * An execution that is overdue.
     *
     * @param attempt 0 for a slot that is not claimed
     * @param startedMillis null if it has not started
     * @param node the node that claimed it; null if none has
     */
    record OverdueExecution(ExpectedTask task, long fireMillis, int attempt, Long startedMillis, String node) {}

    long nowMillis();

    /**
     * Tasks of which no execution has ended as SUCCEEDED since {@code sinceMillis}, although they existed and should
     * have fired before {@code expectedMillis}.
     */
    List<OverdueTask> withoutSuccess(
            AlertSelection.TaskCondition tasks, long sinceMillis, long expectedMillis, int limit);

    /** Tasks that have not been pinged since {@code sinceMillis}, although they existed. */
    List<OverdueTask> withoutPing(AlertSelection.TaskCondition tasks, long sinceMillis, int limit);

    /** Executions that still run, and started before {@code beforeMillis}. */
    List<OverdueExecution> runningSince(AlertSelection.TaskCondition tasks, long beforeMillis, int limit);

    /** Slots with a fire time before {@code beforeMillis} whose first attempt has not started. */
    List<OverdueExecution> unstarted(AlertSelection.TaskCondition tasks, long beforeMillis, int limit);

    /**
     * Slots with a fire time after {@code afterMillis} and up to {@code untilMillis} whose first attempt has started
     * more than {@code toleranceMillis} late.
     */
    List<OverdueExecution> startedLate(
            AlertSelection.TaskCondition tasks, long afterMillis, long untilMillis, long toleranceMillis, int limit);
}
