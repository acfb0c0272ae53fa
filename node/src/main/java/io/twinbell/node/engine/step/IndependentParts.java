package io.twinbell.node.engine.step;

import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.function.BooleanSupplier;

/** Parts of one pass that do not depend on each other: one that fails stops no other, and is watched by itself. */
public final class IndependentParts {
    private final Loops loops;

    public IndependentParts(Loops loops) {
        this.loops = loops;
    }

    /**
     * Does one part.
     *
     * @throws DatabaseUnavailableException if the database is away: the other parts would only wait for it as well
     */
    public void run(String name, Runnable part) {
        ask(name, () -> {
            part.run();
            return false;
        });
    }

    /** The same; false if it failed. */
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
