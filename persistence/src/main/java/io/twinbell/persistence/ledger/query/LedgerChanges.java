package io.twinbell.persistence.ledger.query;

import io.twinbell.persistence.ledger.Slot;
import java.util.List;

/**
 * The ledger's rows in the order in which they changed. A row that changes twice between two reads is read once, in its
 * latest state. All methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database
 * does not answer.
 */
public interface LedgerChanges {
    /** The position after everything that has been committed until now. */
    Position now();

    /**
     * The next changes after a position, at most {@code limit}, without output and error. Changes of an open
     * transaction, and all changes made since it began, are left to a later read.
     */
    Page read(Position after, int limit);

    /**
     * A position in the order of changes.
     *
     * @param transaction the database's number of the transaction that changed the row
     * @param slot the row within the transaction; {@link #START} precedes all its rows
     */
    record Position(long transaction, Slot slot) {
        /** Precedes every row. */
        static final Slot START = new Slot(-1, 0);

        static Position before(long transaction) {
            return new Position(transaction, START);
        }
    }

    /** @param position the position after this change */
    record Change(Position position, Execution execution) {}

    /**
     * A page of changes.
     *
     * @param reached the position to continue from
     * @param isKnown false if this database does not have the position; it may have been restored from a backup
     */
    record Page(List<Change> changes, Position reached, boolean isKnown) {}
}
