package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;

/** Something about an attempt that the database has confirmed. */
sealed interface JournalEvent {
    Epoch epoch();

    Slot slot();

    int attempt();

    /**
     * It is this node's.
     *
     * @param atMillis when it came into the node's hands, by the database's clock
     */
    record Taken(Epoch epoch, Attempt of, long atMillis) implements JournalEvent {
        @Override
        public Slot slot() {
            return of.slot();
        }

        @Override
        public int attempt() {
            return of.attempt();
        }
    }

    /** Its outcome is recorded. */
    record Ended(Completion completion) implements JournalEvent {
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

    /** It was given back before it started, or what it did was committed with its outcome, and is lost with it. */
    record GivenBack(Epoch epoch, Slot slot, int attempt) implements JournalEvent {}
}
