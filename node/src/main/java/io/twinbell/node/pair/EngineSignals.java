package io.twinbell.node.pair;

import io.twinbell.ha.role.RoleRecord;
import io.twinbell.node.engine.EngineListener;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.epoch.Epoch;

/** Raises node events for what the engine reports, and remembers the last superseded epoch. */
final class EngineSignals implements EngineListener {
    private final RoleRecord roles;
    private final Signals<NodeEvent> signals;
    private volatile Epoch superseded;

    EngineSignals(RoleRecord roles, Signals<NodeEvent> signals) {
        this.roles = roles;
        this.signals = signals;
    }

    @Override
    public void superseded(Epoch epoch, int refusedWrites) {
        superseded = epoch;
        signals.raise(NodeEvent.EPOCH_SUPERSEDED);
    }

    /** The epoch under which writes were refused last; null if none was. */
    Epoch superseded() {
        return superseded;
    }

    @Override
    public void firstFired(Epoch epoch, long micros) {
        roles.firstFired(epoch.number(), micros);
        signals.raise(NodeEvent.FIRST_FIRED);
    }
}
