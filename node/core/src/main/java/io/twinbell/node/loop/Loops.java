package io.twinbell.node.loop;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The loops of one node by name. */
public final class Loops {
    private final Ticker ticker;
    private final Consumer<Loop> onNew;
    private final Map<String, Loop> byName = new ConcurrentSkipListMap<>();

    /** @param onNew called with each loop that is created */
    public Loops(Ticker ticker, Consumer<Loop> onNew) {
        this.ticker = ticker;
        this.onNew = onNew;
    }

    /**
     * Returns the loop of this name and creates it at the first call. Names are fixed in the code, so there are few.
     */
    public synchronized Loop loop(String name) {
        Loop known = byName.get(name);
        if (known != null) {
            return known;
        }
        Loop loop = new Loop(name, ticker);
        byName.put(name, loop);
        onNew.accept(loop);
        return loop;
    }

    /**
     * Runs one of the independent parts of a pass. A part that fails does not stop the others, and has its own loop.
     *
     * @throws DatabaseUnavailableException if the database is unavailable: the other parts would fail as well
     */
    public void runPart(String name, Runnable part) {
        askPart(name, () -> {
            part.run();
            return false;
        });
    }

    /** Runs one part, as {@link #runPart}, and returns its result; false if it failed. */
    public boolean askPart(String name, BooleanSupplier part) {
        Loop loop = loop(name);
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

    /** The present state of all loops, sorted by name. */
    public List<Loop.State> states() {
        return byName.values().stream().map(Loop::state).toList();
    }
}
