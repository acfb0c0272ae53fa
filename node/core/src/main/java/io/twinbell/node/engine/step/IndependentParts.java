package io.twinbell.node.engine.step;

import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.function.BooleanSupplier;

/** Runs the independent parts of one pass. A part that fails does not stop the others, and has its own loop status. */
public final class IndependentParts {
    private final Loops loops;

    public IndependentParts(Loops loops) {
        this.loops = loops;
    }

    /**
     * Runs one part.
     *
     * @throws DatabaseUnavailableException if the database is unavailable: the other parts would fail as well
     */
    public void run(String name, Runnable part) {
        ask(name, () -> {
            part.run();
            return false;
        });
    }

    /** Runs one part and returns its result; false if it failed. */
    public boolean ask(String name, BooleanSupplier part) {
        Loop loop = loops.loop(name);
        loop.begin();
        try {
            return part.getAsBoolean();
        } catch (RuntimeException e) {
            loop.failed(e);
            if (e instanceof DatabaseUnavailableException unavailable && unavailable.isOutage()) {
                throw e;
            }
            return false;
        } finally {
            loop.end();
        }
    }
}
