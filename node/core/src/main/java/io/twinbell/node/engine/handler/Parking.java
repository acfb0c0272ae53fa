package io.twinbell.node.engine.handler;

import io.twinbell.persistence.ledger.Slot;

/** Parks attempts: the outcome of a parked attempt comes from another program, which authenticates by a token. */
@FunctionalInterface
public interface Parking {
    /** For calls whose outcome is always their handler's own. */
    Parking NONE = (slot, attempt) -> {
        throw new IllegalStateException("this execution cannot be parked");
    };

    /**
     * Parks this running attempt of the slot, unless it is parked already, and returns its token. The parking is
     * durable when this method returns.
     *
     * @throws IllegalStateException if the attempt cannot be parked: its task has no timeout, it is over, another node
     *     has taken over, or the database does not answer
     */
    CallbackToken park(Slot slot, int attempt);
}
