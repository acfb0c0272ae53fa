package io.twinbell.node.pair;

import io.twinbell.node.engine.step.StepThread;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.persistence.database.ChangeListener;
import io.twinbell.persistence.database.DatabaseHealthProbe;
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
                loop.failed("the database does not answer");
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

    static StepThread listener(DedicatedConnection connection, ChangeListener.Changes changes, Loops loops) {
        Loop loop = loops.loop("listener");
        return new StepThread(loop, new ChangeListener(connection, changes, loop::failed)::step);
    }
}
