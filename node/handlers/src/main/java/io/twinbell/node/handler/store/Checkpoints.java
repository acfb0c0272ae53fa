package io.twinbell.node.handler.store;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;

/** Saves and reads checkpoints: data that a handler keeps for the next attempts of its execution. */
public interface Checkpoints {
    /**
     * Replaces the checkpoint of an execution, in one guarded statement. It is durable when this method returns.
     *
     * @return false, and nothing is saved, if the attempt is over or its epoch may no longer write
     */
    boolean save(Epoch epoch, Slot slot, int attempt, String json);

    /** Returns the latest checkpoint of an execution, of any attempt; null if there is none. */
    String read(Slot slot);
}
