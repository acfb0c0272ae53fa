package io.twinbell.node.engine.step;

import io.twinbell.persistence.epoch.Epoch;

/** Receives a call when the database refused writes because their epoch was superseded. Must return at once. */
@FunctionalInterface
public interface SupersededListener {
    void superseded(Epoch epoch, int refusedWrites);
}
