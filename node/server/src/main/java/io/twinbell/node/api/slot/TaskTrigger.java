package io.twinbell.node.api.slot;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionQueries;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.task.Task;
import java.util.Optional;

/** Enters a run by hand: a run of a task in addition to its schedule. */
public final class TaskTrigger {
    private final ExecutionQueries executions;

    public TaskTrigger(ExecutionQueries executions) {
        this.executions = executions;
    }

    /**
     * Gives the run a fire time that the schedule does not have.
     *
     * @param calendars what the task's definition may refer to
     * @return empty if the task was removed meanwhile
     * @throws InvalidJsonException if the task's definition cannot be read
     */
    public Optional<Execution> run(Task task, Calendars calendars, ManualRun run) {
        Schedule schedule = TaskReader.definition(
                        task.content().app(),
                        task.content().name(),
                        task.content().definition(),
                        calendars)
                .schedule();
        return executions.trigger(task.id(), schedule::hasFireTime, run);
    }
}
