package io.twinbell.node.engine.step;

import io.twinbell.persistence.epoch.Epoch;

/** Is told when the database refused a write because its epoch was superseded. Must return at once. */
@FunctionalInterface
public interface SupersededListener {
    void superseded(Epoch epoch, int refusedWrites);
}
