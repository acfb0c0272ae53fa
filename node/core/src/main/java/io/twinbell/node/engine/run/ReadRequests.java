package io.twinbell.node.engine.run;

import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Requests to read tasks from the table again, so that the task heap agrees with it. Any thread adds requests; the
 * claimer takes them, because all reads happen on its thread.
 */
public final class ReadRequests {
    /** Beyond this number, changed tasks are not remembered individually: everything is read again instead. */
    private static final int MOST_TASKS = 100_000;

    private final Signals<EngineEvent> signals;
    /** In the order of the requests: tasks of one batch are beside each other in the table. */
    private final Set<Long> tasks = new LinkedHashSet<>();

    private boolean isRebuildWanted;
    private boolean isCheckWanted;

    public ReadRequests(Signals<EngineEvent> signals) {
        this.signals = signals;
    }

    /** Notes that these tasks have changed, and wakes the claimer. */
    public void changed(long... taskIds) {
        add(taskIds);
        signals.raise(EngineEvent.TASK_CHANGED);
    }

    /** Notes that these tasks are to be read again at the claimer's next pass. */
    public synchronized void add(long... taskIds) {
        for (long id : taskIds) {
            tasks.add(id);
        }
        if (tasks.size() > MOST_TASKS) {
            addAll();
        }
    }

    /** Notes that any task may have changed. */
    public synchronized void addAll() {
        tasks.clear();
        isRebuildWanted = true;
    }

    /** Requests a check for tasks that have long been due. */
    public synchronized void checkOverdue() {
        isCheckWanted = true;
    }

    /** Whether rows are to be read. */
    public synchronized boolean hasAny() {
        return isRebuildWanted || !tasks.isEmpty();
    }

    /** Takes up to the given number of tasks. */
    public synchronized long[] take(int most) {
        long[] taken = tasks.stream().limit(most).mapToLong(id -> id).toArray();
        for (long id : taken) {
            tasks.remove(id);
        }
        return taken;
    }

    /** Takes the request to read all tasks, if there is one. */
    public synchronized boolean takeAll() {
        boolean isTaken = isRebuildWanted;
        isRebuildWanted = false;
        return isTaken;
    }

    /** Takes the request for a check, if there is one. */
    public synchronized boolean takeCheck() {
        boolean isTaken = isCheckWanted;
        isCheckWanted = false;
        return isTaken;
    }

    /** Drops the requests that a rebuild of the heap fulfils; returns the tasks that were to be read. */
    public synchronized long[] dropForRebuild() {
        isRebuildWanted = false;
        return take(Integer.MAX_VALUE);
    }

    /** Drops all requests; returns the tasks that were to be read. */
    public synchronized long[] drop() {
        isCheckWanted = false;
        return dropForRebuild();
    }
}
