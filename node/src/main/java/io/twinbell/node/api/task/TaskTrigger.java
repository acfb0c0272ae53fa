package io.twinbell.node.api.task;

import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.ledger.query.Execution;
import io.twinbell.persistence.ledger.query.ExecutionQueries.ManualRun;
import io.twinbell.persistence.task.Task;
import java.util.Optional;

/** Enters a run of a task in addition to its schedule. */
final class TaskTrigger {
    private final ApiStores stores;

    TaskTrigger(ApiStores stores) {
        this.stores = stores;
    }

    /**
     * Gives the run a fire time that the schedule does not have.
     *
     * @return empty if the task was removed meanwhile
     * @throws InvalidJsonException if the task's definition cannot be read
     */
    Optional<Execution> run(Task task, ManualRun run) {
        Schedule schedule = TaskReader.definition(
                        task.content().app(),
                        task.content().name(),
                        task.content().definition(),
                        stores.calendars().fresh())
                .schedule();
        return stores.executions()
                .trigger(task.id(), millis -> !schedule.followsTheRun() && schedule.next(millis - 1) == millis, run);
    }
}
