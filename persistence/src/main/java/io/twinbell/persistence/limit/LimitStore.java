package io.twinbell.persistence.limit;

import java.util.List;
import java.util.Optional;

/**
 * Stores the limits that people set. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface LimitStore {
    /** The maximum number of limits. */
    int MAX_LIMITS = 10_000;

    /** Sets the limit, replacing that of the same key, and notifies both nodes. */
    PutResult put(RunLimit limit);

    Optional<Use> find(String key);

    /** At most {@code max} limits with a key above {@code afterKey}, in the order of their keys. */
    List<Use> list(String afterKey, int max);

    /** Removes the limit; false if there is none. */
    boolean remove(String key);

    /** The outcomes of a put. */
    enum PutResult {
        CREATED,
        REPLACED,
        /** There are {@link #MAX_LIMITS} already. */
        FULL
    }

    /**
     * A limit and its current use.
     *
     * @param running claimed executions without an outcome
     * @param waiting overdue slots of tasks that have the key, and executions that wait in the ledger for the limit
     */
    record Use(RunLimit limit, long running, long waiting, long createdAtMillis, long updatedAtMillis) {}
}
