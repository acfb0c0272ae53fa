package io.twinbell.persistence.limit;

import java.util.List;
import java.util.Optional;

/**
 * The limits, as people set them. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface LimitStore {
    /** There are never more. */
    int MAX_LIMITS = 10_000;

    /** Sets the limit in place of what its key had, and tells both nodes. */
    Put put(RunLimit limit);

    Optional<Use> find(String key);

    /** At most {@code max} limits with a key above {@code afterKey}, in the order of their keys. */
    List<Use> list(String afterKey, int max);

    /** Lifts the limit; false if there is none. */
    boolean remove(String key);

    /** What became of a put. */
    enum Put {
        CREATED,
        REPLACED,
        /** There are {@link #MAX_LIMITS} already. */
        FULL
    }

    /**
     * A limit and what it does now.
     *
     * @param running claimed executions without an outcome
     * @param waiting overdue slots of tasks that have the key, and what waits in the ledger for room
     */
    record Use(RunLimit limit, long running, long waiting, long createdAtMillis, long updatedAtMillis) {}
}
