package io.twinbell.persistence.task;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Stores the tasks that people write. Every change is one transaction, which also wakes the master. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface TaskStore {
    /**
     * Stores a task; empty if its app has a task of that name. Here and in {@link #insertAll} the name of a FINISHED
     * task counts as free: the new task replaces it, and its executions stay in the ledger.
     */
    Optional<Task> insert(NewTask task);

    /**
     * Stores all tasks in one transaction, except those whose name is taken, also by an earlier one of the list.
     *
     * @return the id of each task in list order, empty if its name was taken
     */
    List<OptionalLong> insertAll(List<NewTask> tasks);

    /**
     * Stores tasks that are read on demand: the database stores the first while the next are read.
     *
     * @param reader returns the task of a name. If it throws, nothing is stored. It is called again if the
     *     transaction is repeated
     * @return the ids of the stored tasks
     */
    Map<TaskName, Long> insertAll(SortedSet<TaskName> names, Function<TaskName, NewTask> reader);

    /**
     * Applies {@code ifPresent} to the task of that app and name, or stores {@code ifAbsent} if there is none.
     * {@code ifAbsent} is called only then, and its task must have that app and name. A task that
     * {@link TaskChange.Renew} replaces counts as created.
     */
    Stored upsert(String app, String name, Supplier<NewTask> ifAbsent, TaskDecision ifPresent);

    Optional<Task> find(long id);

    /** The ids of the tasks with these names. The result lacks names that no task has. */
    Map<TaskName, Long> ids(Collection<TaskName> names);

    /** Like {@link #ids}, but without FINISHED tasks, whose names are free. */
    Map<TaskName, Long> unfinishedIds(Collection<TaskName> names);

    /** At most {@code limit} tasks with an id above {@code afterId}, in id order. */
    List<Task> list(TaskFilter filter, long afterId, int limit);

    /**
     * Like {@link #list}, but gives up a search that takes long, and looks at the next tasks only.
     *
     * @param longest of each statement; at least 1 ms
     * @param most how many tasks it looks at then
     */
    default Found search(TaskFilter filter, long afterId, int limit, Duration longest, int most) {
        return new Found(list(filter, afterId, limit), Optional.empty());
    }

    /** The tasks that a search found, and the id of the last one that it looked at; empty if it looked at all. */
    record Found(List<Task> tasks, Optional<Long> lastId) {}

    /**
     * At most {@code limit} ACTIVE tasks whose next fire time is before this instant, soonest first.
     *
     * @param app null for all apps
     */
    List<Task> upcoming(String app, long untilMillis, int limit);

    /**
     * How many ACTIVE tasks have their next fire time in each minute of a span. Keys are the beginnings of the minutes,
     * in milliseconds since 1970; minutes without such a task are absent. A million tasks take about 0.1 s, and those
     * of one app several times as long.
     *
     * @param app null for all apps
     * @param untilMillis exclusive
     */
    SortedMap<Long, Long> nextFiresByMinute(String app, long fromMillis, long untilMillis);

    /**
     * Changes a task.
     *
     * @return the task after the change (before it, if it was removed); empty if there is none
     */
    Optional<Task> change(long id, TaskDecision decision);

    /**
     * Applies the decision to the tasks of the filter, in id order and in transactions of at most {@value #BULK} tasks.
     * If the database fails between two transactions, the earlier ones are stored, and the same call completes the
     * rest.
     *
     * @param afterId only tasks with a greater id are changed; 0 for all
     * @param goesOn called after each transaction: false ends the call early
     */
    Changed changeAll(TaskFilter filter, long afterId, BooleanSupplier goesOn, TaskDecision decision);

    /** Counts the tasks of the filter with an id above {@code afterId}. */
    long count(TaskFilter filter, long afterId);

    /**
     * Applies the decision to PAUSED tasks whose pause has ended, at most {@value #BULK} of them.
     *
     * @return the earliest end of a remaining pause, which may have passed already; empty if there is none
     */
    OptionalLong endPauses(TaskDecision decision);

    /**
     * Applies to each task its own decision, in transactions like {@link #changeAll}. Tasks that no longer exist are
     * left out.
     *
     * @return the ids of new tasks, by the id of the finished task that each replaced
     */
    Map<Long, Long> changeEach(Map<Long, TaskDecision> decisions);

    int BULK = 500;

    /**
     * The result of a bulk change.
     *
     * @param tasks how many tasks it changed
     * @param lastId if the call ended early, the last id it reached: the remaining tasks have greater ids
     */
    record Changed(long tasks, OptionalLong lastId) {}

    /** A task after an upsert, and whether it is new. */
    record Stored(Task task, boolean created) {}
}
