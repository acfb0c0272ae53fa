package io.twinbell.node.pair;

import io.twinbell.node.engine.Engine;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.pair.database.ChangeListener;
import io.twinbell.node.pair.database.DatabaseHealthProbe;

/** Creates the listeners that turn changes of the database into node events and calls of the engine. */
final class DatabaseListeners {
    private DatabaseListeners() {}

    static DatabaseHealthProbe.Listener ofProbe(Signals<NodeEvent> signals) {
        return new DatabaseHealthProbe.Listener() {
            @Override
            public void reachChanged(boolean reached) {
                signals.raise(reached ? NodeEvent.DATABASE_REACHED : NodeEvent.DATABASE_LOST);
            }

            @Override
            public void clockJumped(long millis) {
                signals.raise(NodeEvent.DATABASE_CLOCK_JUMPED);
            }
        };
    }

    static ChangeListener.Changes ofNotifications(Engine engine, Signals<NodeEvent> signals) {
        return new ChangeListener.Changes() {
            @Override
            public void listening() {
                signals.raise(NodeEvent.NOTIFICATIONS_RESUMED);
            }

            @Override
            public void tasksChanged(long[] taskIds) {
                engine.changed(taskIds);
            }

            @Override
            public void ledgerChanged() {
                engine.ledgerChanged();
            }

            @Override
            public void calendarsChanged() {
                engine.calendarsChanged();
            }

            @Override
            public void limitsChanged() {
                engine.limitsChanged();
            }

            @Override
            public void callbackAnswered() {
                engine.callbackAnswered();
            }

            @Override
            public void epochChanged() {
                signals.raise(NodeEvent.EPOCH_NOTIFIED);
            }
        };
    }
}
