package io.twinbell.node.journal;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;

/** An event of an attempt that the database has confirmed. */
sealed interface JournalEvent {
    Epoch epoch();

    Slot slot();

    int attempt();

    /**
     * The attempt belongs to this node.
     *
     * @param atMillis when this node got the attempt, by the database's clock
     */
    record ClaimEvent(Epoch epoch, Attempt of, long atMillis) implements JournalEvent {
        @Override
        public Slot slot() {
            return of.slot();
        }

        @Override
        public int attempt() {
            return of.attempt();
        }
    }

    /** The outcome of the attempt was recorded. */
    record OutcomeEvent(Completion completion) implements JournalEvent {
        @Override
        public Epoch epoch() {
            return completion.epoch();
        }

        @Override
        public Slot slot() {
            return completion.slot();
        }

        @Override
        public int attempt() {
            return completion.attempt();
        }
    }

    /**
     * The attempt was given back before it started, or its work was committed together with its outcome, so that both
     * are lost together.
     */
    record ReturnEvent(Epoch epoch, Slot slot, int attempt) implements JournalEvent {}
}
