package io.twinbell.node.engine;

import io.twinbell.persistence.epoch.Epoch;

/** Is told when the database refused a write because its epoch was superseded. Must return at once. */
@FunctionalInterface
interface SupersededListener {
    void superseded(Epoch epoch, int refusedWrites);
}
