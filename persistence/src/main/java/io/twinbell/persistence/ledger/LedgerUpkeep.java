package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.util.List;

/**
 * Keeps the ledger's partitions ahead of time, and lets go of what is older than it has to be kept. Only the owner of
 * the epoch does; for anybody else nothing happens. Nothing here waits for a lock for longer than
 * {@value #LOCK_MILLIS} ms, since those who claim would wait behind it; then a method throws
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} and is to be tried again.
 */
public interface LedgerUpkeep {
    int LOCK_MILLIS = 20;

    /** Makes the partitions of the week ahead. */
    void makePartitions(Epoch epoch);

    /**
     * Drops the days that lie more than {@code keepDays} before today. A day with an execution that has no outcome yet
     * stays.
     *
     * @return the names of the partitions
     */
    List<String> dropDays(Epoch epoch, int keepDays);

    /** Deletes what is kept as long as the ledger, but not by the day; at most {@code limit} rows of each. */
    boolean deleteBesides(Epoch epoch, int keepDays, int limit);

    /**
     * Removes tasks that have been FINISHED for at least {@code olderThanMillis} and have nothing unfinished in the
     * ledger; what the ledger says of them stays. A task that somebody holds is passed over.
     *
     * @return how many, at most {@code limit}
     */
    int removeFinished(Epoch epoch, long olderThanMillis, int limit);

    /**
     * Deletes the executions with an outcome and a fire time before an instant, among the next {@code limit} that are so
     * old.
     *
     * @param after where the last call ended; null for the oldest
     */
    Deleted delete(Epoch epoch, RetentionClass retentionClass, long beforeMillis, Slot after, int limit);

    /**
     * What was deleted.
     *
     * @param last how far it has come; null if there is nothing more so old
     */
    record Deleted(int executions, Slot last) {}
}
