package io.twinbell.node.compile.store;

import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads the tasks that applications added, replaced or removed by SQL, in their own transactions, and that the master
 * has not processed yet. All methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the
 * database does not answer.
 */
public interface SqlArrivalSource {
    /**
     * Passes changed tasks, with their rows locked, and removed tasks to the reception: at most {@code limit} of each
     * per transaction, in a few transactions. Rows that another transaction holds are skipped.
     *
     * @return how many the last transaction processed; the limit or more if there may be others
     */
    int receive(int limit, ArrivalDecider arrivalDecider);

    /** Decides on arrivals and removals. Takes values and returns values, like a {@link TaskDecision}. */
    interface ArrivalDecider {
        TaskChange arrived(Arrival arrival);

        /** The due slots that a removed task had not run. */
        Optional<PassedSlots> removed(Removal removal);
    }

    /**
     * A task as an application wrote it.
     *
     * @param atMillis the time of its transaction, by the database's clock
     * @param replacement a whole task, JSON, that replaces this one; null for a new task
     */
    record Arrival(Task task, long atMillis, String replacement) {}

    /**
     * A task as it was when an application removed it.
     *
     * @param arrivedMillis the time of the transaction that added it, if the master had not processed that yet
     */
    record Removal(Task task, OptionalLong arrivedMillis, long removedMillis) {}
}
