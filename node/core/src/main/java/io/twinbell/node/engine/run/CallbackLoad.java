package io.twinbell.node.engine.run;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the parked runs of this process. They hold neither a thread nor a connection. So, up to a bound of their own,
 * they do not count against the bound of runs.
 */
final class CallbackLoad {
    static final int MOST = 100_000;

    private final Set<Run> runs = ConcurrentHashMap.newKeySet();
    private final long mostText;
    private int count;
    private long text;

    /** @param mostText the largest total length of their definitions in characters */
    CallbackLoad(long mostText) {
        this.mostText = mostText;
    }

    /** Returns false if the run counts as before, because too many are parked. */
    synchronized boolean add(Run run) {
        if (count >= MOST || text + run.length() > mostText || !runs.add(run)) {
            return false;
        }
        count++;
        text += run.length();
        return true;
    }

    /** Returns false if the run was not counted here. */
    boolean remove(Run run) {
        return !runs.isEmpty() && removeCounted(run);
    }

    private synchronized boolean removeCounted(Run run) {
        boolean isCounted = runs.remove(run);
        if (isCounted) {
            count--;
            text -= run.length();
        }
        return isCounted;
    }

    synchronized int count() {
        return count;
    }

    synchronized long text() {
        return text;
    }
}
