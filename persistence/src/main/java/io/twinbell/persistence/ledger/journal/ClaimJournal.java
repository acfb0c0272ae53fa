package io.twinbell.persistence.ledger.journal;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;

/**
 * Remembers a node's claims and checks them after a promotion of the database. The promoted server may lack claims that
 * its former primary confirmed. So a claim made under an earlier generation of the server is looked up before its
 * execution starts.
 */
public interface ClaimJournal {
    /** For an engine whose database is never promoted. */
    ClaimJournal NEVER_PROMOTED = new ClaimJournal() {
        @Override
        public int generation() {
            return 0;
        }

        @Override
        public Answer find(Epoch epoch, Attempt attempt) {
            return Answer.CLAIMED;
        }
    };

    /** What the ledger says about a claim. */
    enum Answer {
        /** The epoch is current, and the slot is claimed under it as this attempt. */
        CLAIMED,
        /** The epoch is current, and the ledger does not have the claim. */
        VANISHED,
        /** The epoch is superseded. */
        SUPERSEDED
    }

    /** The generation of the server that the node's connections belong to. */
    int generation();

    /** @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer */
    Answer find(Epoch epoch, Attempt attempt);

    /**
     * Remembers an attempt of this node whose claim the database has confirmed. If a promoted server lacks the claim,
     * the claim is entered again.
     *
     * @param nowMillis by the database's clock
     */
    default void claimed(Epoch epoch, Attempt attempt, long nowMillis) {}

    /** Remembers an outcome that the database has confirmed. */
    default void ended(Completion completion) {}

    /**
     * Forgets an attempt that no longer belongs to this node, or whose work was committed together with its outcome.
     */
    default void givenBack(Epoch epoch, Slot slot, int attempt) {}
}
