package io.twinbell.persistence.ledger;

import java.util.List;

/**
 * The ledger in the order in which its rows changed. A row that changes twice between two reads is read once, as it is
 * then. Everything throws {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not
 * answer.
 */
public interface LedgerChanges {
    /** A place behind everything that has been committed until now. */
    Position now();

    /**
     * The next changes behind a place, at most {@code limit}, without output and error. What a transaction changes that
     * is still open, and everything that was changed after that one began, is left for later.
     */
    Page read(Position after, int limit);

    /**
     * A place in the order of changes.
     *
     * @param transaction the database's number of the transaction that changed the row
     * @param slot which row of it; the places of a transaction begin with {@link #START}
     */
    record Position(long transaction, Slot slot) {
        /** Before every row. */
        static final Slot START = new Slot(-1, 0);

        static Position before(long transaction) {
            return new Position(transaction, START);
        }
    }

    /** @param position behind it */
    record Change(Position position, Execution execution) {}

    /**
     * What was read.
     *
     * @param reached where to go on
     * @param isKnown false if the place is none of this database, which may have been restored from a backup
     */
    record Page(List<Change> changes, Position reached, boolean isKnown) {}
}
