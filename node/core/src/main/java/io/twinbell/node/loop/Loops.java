package io.twinbell.node.loop;

import io.twinbell.persistence.clock.Ticker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
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

    /** The present state of all loops, sorted by name. */
    public List<Loop.State> states() {
        return byName.values().stream().map(Loop::state).toList();
    }
}
