package io.twinbell.node.engine;

import io.twinbell.persistence.epoch.Epoch;

/**
 * Receives the events of the engine that the rest of the node must know. Called on the engine's threads, so it must
 * return at once.
 */
public interface EngineListener {
    /** For an engine that belongs to no node of the pair. */
    EngineListener NONE = new EngineListener() {
        @Override
        public void superseded(Epoch epoch, int refusedWrites) {}

        @Override
        public void firstFired(Epoch epoch, long micros) {}
    };

    /** The database refused writes because their epoch is superseded. */
    void superseded(Epoch epoch, int refusedWrites);

    /** The first handler under the epoch has started, this many microseconds after the earliest possible time. */
    void firstFired(Epoch epoch, long micros);
}
