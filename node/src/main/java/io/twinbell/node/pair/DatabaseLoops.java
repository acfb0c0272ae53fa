package io.twinbell.node.pair;

import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.pair.database.ChangeListener;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.persistence.database.DedicatedConnection;
import java.util.function.BooleanSupplier;

/** Creates the threads that probe the database, connect to it and hear its notifications, watched like every other loop. */
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
}
