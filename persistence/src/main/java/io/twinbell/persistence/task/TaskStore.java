package io.twinbell.persistence.task;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The tasks, as people write them. Every change is one transaction that also wakes the master. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface TaskStore {
    /**
     * Returns nothing if its app has a task of that name. Here and in {@link #insertAll} a FINISHED task holds no name: it
     * is removed for the new one, and its executions stay in the ledger.
     */
    Optional<Task> insert(NewTask task);

    /**
     * Stores all in one transaction, apart from those whose name is taken, also by an earlier one of the list.
     *
     * @return for each in its place the id, or nothing if its name was taken
     */
    List<OptionalLong> insertAll(List<NewTask> tasks);

    /**
     * The same for tasks that are yet to be read: the database stores the first while the next are read.
     *
     * @param reader has the task of a name, or throws, and nothing is stored then; asked again if the transaction is run again
     * @return the ids of those that were stored
     */
    Map<TaskName, Long> insertAll(SortedSet<TaskName> names, Function<TaskName, NewTask> reader);

    /**
     * Has {@code ifPresent} decide about the task of that app and name, or stores {@code ifAbsent}, which must have them
     * too and is asked for only then. A task that {@link TaskChange.Renew} replaces counts as created.
     */
    Stored upsert(String app, String name, Supplier<NewTask> ifAbsent, TaskDecision ifPresent);

    Optional<Task> find(long id);

    /** The ids of the tasks that have these names; a name that no task has is not in the answer. */
    Map<TaskName, Long> ids(Collection<TaskName> names);

    /** The same without FINISHED tasks, whose names are free. */
    Map<TaskName, Long> standing(Collection<TaskName> names);

    /** At most {@code limit} tasks with an id above {@code afterId}, in id order. */
    List<Task> list(TaskFilter filter, long afterId, int limit);

    /** Returns the task as it is afterwards (as it was, if it was removed), or nothing if there is none. */
    Optional<Task> change(long id, TaskDecision decision);

    /**
     * Decides about the tasks that the filter means, in id order and in transactions of at most {@value #BULK} tasks. If the
     * database fails in between, the earlier ones are stored, and the same call again does the rest.
     *
     * @param afterId only tasks with a greater id are changed; 0 for all
     * @param goesOn asked after each transaction: false ends the call early
     */
    Changed changeAll(TaskFilter filter, long afterId, BooleanSupplier goesOn, TaskDecision decision);

    /**
     * Decides about PAUSED tasks whose pause is over by now, at most {@value #BULK} of them.
     *
     * @return the earliest end of a pause that is left, which may have come already; empty if there is none
     */
    OptionalLong endPauses(TaskDecision decision);

    /**
     * Has each task decided about by its own decision, like {@link #changeAll}. A task that is gone is left out.
     *
     * @return the ids of new tasks, by the id of the finished task that each replaced
     */
    Map<Long, Long> changeEach(Map<Long, TaskDecision> decisions);

    int BULK = 500;

    /**
     * What a bulk change did.
     *
     * @param tasks how many tasks it changed
     * @param lastId where the call ended early: the rest has greater ids
     */
    record Changed(long tasks, OptionalLong lastId) {}

    /** A task after an upsert, and whether it is new. */
    record Stored(Task task, boolean created) {}
}
