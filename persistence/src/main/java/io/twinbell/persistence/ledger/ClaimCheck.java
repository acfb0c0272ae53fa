package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;

/**
 * What a node knows of its claims when the database is promoted. The promoted server may lack what its former primary has
 * answered, so what was claimed under an earlier generation of the server is looked up before it starts.
 */
public interface ClaimCheck {
    /** For an engine whose database is never promoted. */
    ClaimCheck NEVER_PROMOTED = new ClaimCheck() {
        @Override
        public int generation() {
            return 0;
        }

        @Override
        public Answer look(Epoch epoch, Attempt attempt) {
            return Answer.CLAIMED;
        }
    };

    /** What the ledger says. */
    enum Answer {
        /** It is claimed under this epoch, as this attempt, and the epoch is current. */
        CLAIMED,
        /** The epoch is current, and the ledger does not have the claim. */
        VANISHED,
        /** The epoch is over. */
        SUPERSEDED
    }

    /** The generation of the server that the node's connections belong to. */
    int generation();

    /** @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer */
    Answer look(Epoch epoch, Attempt attempt);

    /**
     * The attempt is this node's: the database has confirmed the claim. If it is promoted and lacks the claim, it is entered
     * again.
     *
     * @param nowMillis by the database's clock
     */
    default void claimed(Epoch epoch, Attempt attempt, long nowMillis) {}

    /** The database has confirmed the outcome. */
    default void ended(Completion completion) {}

    /** The attempt is this node's no more, or all that it did was committed with its outcome. */
    default void givenBack(Epoch epoch, Slot slot, int attempt) {}
}
