package io.twinbell.node.simulation;

import io.twinbell.node.simulation.Tables.Row;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.OptionalLong;

/** Sets the next fire time of a task whose fire times count from the end of its runs, as {@code Reschedule} does. */
final class Rescheduling {
    private Rescheduling() {}

    static void run(SimulatedDatabase database, Backend backend, long taskId, long nextMillis) {
        Tables tables = database.tables;
        Task task = tables.tasks.get(taskId);
        boolean isFree = task != null
                && task.progress().nextFireMillis().isEmpty()
                && (task.progress().state() == TaskState.ACTIVE
                        || task.progress().state() == TaskState.PAUSED)
                && !database.isLocked(taskId, backend)
                && tables.rowsOf(taskId).noneMatch(Rescheduling::isUnfinished);
        if (!isFree) {
            return;
        }
        TaskProgress was = task.progress();
        boolean isFinished = nextMillis == Completion.FINISHED;
        TaskProgress now = new TaskProgress(
                isFinished && was.state() == TaskState.ACTIVE ? TaskState.FINISHED : was.state(),
                was.reason(),
                isFinished ? OptionalLong.empty() : OptionalLong.of(nextMillis),
                was.previousFireMillis(),
                was.pause(),
                was.runs(),
                was.offSchedule());
        tables.put(task, now, false);
        database.tell("task", taskId);
    }

    static boolean isUnfinished(Row row) {
        return row.isClaimed() || row.state == ExecutionState.RETRYING;
    }
}
