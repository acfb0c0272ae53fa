package io.twinbell.node.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.compile.store.SqlArrivalSource;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides the first state of a task that an application wrote by SQL. The task is treated as if it had been sent to
 * the API at the time of its transaction: slots that have passed since then are due, however late the master reads the
 * row. An invalid definition leaves the task in state ERROR, with the message that the API would have returned.
 */
public final class ArrivalDecision implements SqlArrivalSource.ArrivalDecider {
    private final Supplier<Calendars> calendars;

    /** @param calendars called for each task, to get the current calendars */
    public ArrivalDecision(Supplier<Calendars> calendars) {
        this.calendars = calendars;
    }

    @Override
    public TaskChange arrived(SqlArrivalSource.Arrival arrival) {
        Task task = arrival.task();
        try {
            TaskChange replaced = arrival.replacement() == null
                    ? new TaskChange.Keep()
                    : TaskChanges.put((ObjectNode) StrictJson.readStored(arrival.replacement()), calendars.get())
                            .decide(task, arrival.atMillis());
            if (replaced instanceof TaskChange.Renew) {
                // The task has fired since the application replaced it.
                return replaced;
            }
            return replaced instanceof TaskChange.Rewrite rewrite
                    ? started(rewrite, task, arrival.atMillis())
                    : started(task, arrival.atMillis());
        } catch (DatabaseUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            // Catches every exception: one unreadable task must not delay the others.
            String message = e.getMessage() == null ? e.toString() : e.getMessage();
            return unreadable(task, arrival.replacement() == null ? message : "its replacement by SQL: " + message);
        }
    }

    private static TaskChange unreadable(Task task, String message) {
        TaskProgress was = task.progress();
        TaskProgress error = was.in(TaskState.ERROR, message);
        return new TaskChange.Rewrite(task.content(), error, Optional.empty());
    }

    @Override
    public Optional<PassedSlots> removed(SqlArrivalSource.Removal removal) {
        Task task = removal.task();
        if (removal.arrivedMillis().isPresent()
                && arrived(new SqlArrivalSource.Arrival(
                                task, removal.arrivedMillis().getAsLong(), null))
                        instanceof TaskChange.Rewrite rewrite) {
            task = with(task, rewrite);
        }
        return PassedSlotFinder.of(task, removal.removedMillis(), TaskChanges.REMOVED, calendars.get());
    }

    /** Starts a task that was replaced before the master had read it: it needs a first fire time too. */
    private TaskChange started(TaskChange.Rewrite rewrite, Task task, long atMillis) {
        return started(with(task, rewrite), atMillis) instanceof TaskChange.Rewrite started
                ? new TaskChange.Rewrite(
                        started.content(), started.progress(), rewrite.passed(), started.calendars(), false)
                : rewrite;
    }

    /** Computes the first fire time, unless an earlier edit has done so already. A pause of the task is kept. */
    private TaskChange started(Task task, long atMillis) {
        TaskProgress was = task.progress();
        boolean isFresh = was.nextFireMillis().isEmpty()
                && was.previousFireMillis().isEmpty()
                && was.state() != TaskState.FINISHED;
        if (!isFresh) {
            return new TaskChange.Keep();
        }
        NewTask read = TaskReader.newTask(
                DefaultedMembers.withoutDefaults(TaskJson.editable(task)), atMillis, calendars.get());
        TaskProgress first = read.progress();
        TaskProgress progress = was.state() == TaskState.PAUSED ? first.paused(was.reason(), was.pause()) : first;
        return new TaskChange.Rewrite(
                asWritten(task, read.content()), progress, Optional.empty(), Optional.of(read.calendars()), false);
    }

    /**
     * Keeps the stored text if it is equal to the definition except for the order of its members, so that the row is
     * not rewritten.
     */
    private static TaskContent asWritten(Task task, TaskContent read) {
        String written = task.content().definition();
        boolean saysTheSame = StrictJson.readStored(written).equals(StrictJson.readStored(read.definition()));
        return new TaskContent(
                read.app(),
                read.name(),
                read.owner(),
                read.tags(),
                read.handlerType(),
                read.handlerKey(),
                saysTheSame ? written : read.definition());
    }

    private static Task with(Task task, TaskChange.Rewrite rewrite) {
        return new Task(
                task.id(),
                task.version(),
                rewrite.content(),
                rewrite.progress(),
                task.createdAtMillis(),
                task.updatedAtMillis());
    }
}
