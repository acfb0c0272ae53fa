package io.twinbell.node.loop;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.persistence.clock.Ticker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/** The loops of one node by name, each with its two metrics. */
public final class Loops {
    private final MetricRegistry registry;
    private final Ticker ticker;
    private final Map<String, Loop> byName = new ConcurrentSkipListMap<>();

    public Loops(MetricRegistry registry, Ticker ticker) {
        this.registry = registry;
        this.ticker = ticker;
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
        registry.gauge(
                "loop_stalled_millis." + name,
                () -> () -> TimeUnit.NANOSECONDS.toMillis(loop.state().stalledNanos()));
        registry.gauge("loop_set_aside." + name, () -> loop::itemsSetAside);
        return loop;
    }

    /** The present state of all loops, sorted by name. */
    public List<Loop.State> states() {
        return byName.values().stream().map(Loop::state).toList();
    }
}
