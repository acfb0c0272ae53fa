package io.twinbell.persistence.task;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What applications added, replaced and removed by SQL, inside their own transactions, and the master has not looked at
 * yet. All methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not
 * answer.
 */
public interface SqlArrivalSource {
    /**
     * Has the reception decide about tasks, each while its rows are locked, and about removed ones: at most {@code limit}
     * of each in a transaction, and a few transactions. Rows that somebody else holds are passed over.
     *
     * @return how many were decided about in the last; as many as the limit, or more, if there may be others
     */
    int receive(int limit, Reception reception);

    /** Takes values and returns values, like a {@link TaskDecision}. */
    interface Reception {
        TaskChange arrived(Arrival arrival);

        /** What a removed task still owed. */
        Optional<PassedSlots> removed(Removal removal);
    }

    /**
     * A task as an application wrote it.
     *
     * @param atMillis the time of its transaction, by the database's clock
     * @param replacement a whole task, JSON, that replaces it; null for a task that is new
     */
    record Arrival(Task task, long atMillis, String replacement) {}

    /**
     * A task as it was when an application removed it.
     *
     * @param arrivedMillis the time of the transaction that added it, if nobody had looked at it yet
     */
    record Removal(Task task, OptionalLong arrivedMillis, long removedMillis) {}
}
