package io.twinbell.node.engine.run;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts the claimed runs of each app in this process. Any thread. */
public final class AppLoads {
    private final AtomicIntegerArray count = new AtomicIntegerArray(AppHash.COUNT);
    private volatile short latest = AppHash.UNKNOWN;
    private volatile boolean several;

    public void add(short app) {
        count.incrementAndGet(AppHash.index(app));
        if (app != latest) {
            several = several || latest != AppHash.UNKNOWN;
            latest = app;
        }
    }

    void remove(short app) {
        count.decrementAndGet(AppHash.index(app));
    }

    public int count(short app) {
        return count.get(AppHash.index(app));
    }

    /** Whether this process has held runs of more than one app since it started. */
    public boolean areSeveral() {
        return several;
    }
}
