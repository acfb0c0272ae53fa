package io.twinbell.node.pair;

import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.pair.database.ChangeListener;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.persistence.database.DedicatedConnection;
import java.util.function.BooleanSupplier;

/**
 * Creates the threads that probe the database, connect to it and hear its notifications, watched like every other loop,
 * and the listeners that pass on what they find.
 */
final class DatabaseLoops {
    private DatabaseLoops() {}

    static StepThread healthProbe(DatabaseHealthProbe probe, Loops loops) {
        Loop loop = loops.loop("pulse");
        return new StepThread(loop, () -> {
            long sleep = probe.step();
            if (!probe.isReached()) {
                loop.failed(probe.details());
            }
            return sleep;
        });
    }

    /**
     * Opens connections ahead of their first use, once {@code isSchemaReady}. Opening one takes a young process some hundredths
     * of a second, and joining uses them one after the other.
     */
    static StepThread opener(NodeDatabase database, BooleanSupplier isSchemaReady, Loops loops) {
        return new StepThread(loops.loop("connections"), () -> {
            if (isSchemaReady.getAsBoolean()) {
                database.openAhead();
            }
            return Long.MAX_VALUE;
        });
    }

    /** Closing it does not wait until the listener's step has heard nothing for its second. */
    static Stepper listener(DedicatedConnection connection, ChangeListener.Changes changes, Loops loops) {
        Loop loop = loops.loop("listener");
        ChangeListener listener = new ChangeListener(connection, changes, loop::failed);
        StepThread thread = new StepThread(loop, listener::step);
        return new Stepper() {
            @Override
            public void start() {
                thread.start();
            }

            @Override
            public void wake() {
                thread.wake();
            }

            @Override
            public void close() {
                listener.close();
                thread.close();
            }
        };
    }

    /** Raises events for what the health probe finds. */
    static DatabaseHealthProbe.Listener probeListener(Signals<NodeEvent> signals) {
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

    /** Turns notifications of the database into node events and calls of the engine. */
    static ChangeListener.Changes changes(Engine engine, Signals<NodeEvent> signals) {
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
